import {
  ForbiddenException,
  Injectable,
  mixin,
  ServiceUnavailableException,
  UnauthorizedException,
  type CanActivate,
  type ExecutionContext,
  type HttpException,
  type OnModuleInit,
  type Type,
} from '@nestjs/common';
import { A2AAudit } from '../interfaces/audit.js';
import { AgentRegistry, type AgentDefinition } from '../interfaces/agent-registry.js';
import { HOST_GUARD, isGuarded } from '../interfaces/security.js';
import { recordSafely } from './record-safely.js';
import { refusalChallenges, refusalText } from './refusal-challenges.js';
import { SchemeSecurity } from './scheme-security.js';
import type { SecurityRefusal } from './security-verdict.js';

export interface A2ASchemeGuardOptions {
  /** Class or id of the agent whose card declares the scheme; needed when several do. */
  readonly agent?: Type | string;
  /** Scopes that the caller needs. */
  readonly scopes?: readonly string[];
}

/**
 * Guards any route of the application with a scheme of an agent's card, and leaves the same user in `request.user`.
 *
 * @publicApi
 * @example
 * @UseGuards(A2ASchemeGuard('bearer', { scopes: ['reports'] }))
 * @Get('reports')
 * reports() {}
 */
export function A2ASchemeGuard(scheme: string, options: A2ASchemeGuardOptions = {}): Type<CanActivate> {
  @Injectable()
  class SchemeGuard implements CanActivate, OnModuleInit {
    constructor(
      private readonly registry: AgentRegistry,
      private readonly security: SchemeSecurity,
      private readonly audit: A2AAudit,
    ) {}

    /** A scheme that no agent declares keeps the application from starting. */
    onModuleInit(): void {
      find(this.registry, scheme, options);
    }

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const agent = find(this.registry, scheme, options);
      const { scopes = [] } = options;
      const verdict = await this.security.checkScheme(agent, scheme, scopes, context);
      if (!verdict.admitted) throw this.refuse(verdict, agent, context);
      context.switchToHttp().getRequest<{ user?: unknown }>().user = verdict.user ?? undefined;
      return true;
    }

    private refuse(
      refusal: SecurityRefusal,
      agent: AgentDefinition,
      context: ExecutionContext,
    ): HttpException {
      const { kind, reason, missingScopes, user } = refusal;
      recordSafely(this.audit, {
        kind,
        agent: agent.id,
        scheme,
        reason,
        ...(missingScopes && { missingScopes }),
        ...(user !== undefined && { user }),
      });
      const text = refusalText(refusal);
      if (kind === 'unavailable') return new ServiceUnavailableException(text);
      const [challenge = 'Bearer'] = refusalChallenges(refusal, onlyWith(agent, scheme));
      // Express and Fastify both have it by this name.
      const response = context.switchToHttp().getResponse<{ header(name: string, value: string): void }>();
      response.header('WWW-Authenticate', challenge);
      return kind === 'denied' ? new ForbiddenException(text) : new UnauthorizedException(text);
    }
  }
  return mixin(SchemeGuard);
}

/** Throws Error, for the developer, when it is not clear which scheme is meant. */
function find(registry: AgentRegistry, scheme: string, { agent }: A2ASchemeGuardOptions): AgentDefinition {
  const declaring = registry.list().filter(({ id, target, options: { securitySchemes = {} } }) => {
    const declaration = Object.hasOwn(securitySchemes, scheme) ? securitySchemes[scheme] : undefined;
    const isMeant = agent === undefined || agent === id || agent === target;
    return isMeant && declaration && isGuarded(declaration) && declaration.guard !== HOST_GUARD;
  });
  const [only] = declaring;
  if (only && declaring.length === 1) return only;
  const name = `A2ASchemeGuard(${JSON.stringify(scheme)})`;
  throw new Error(
    only
      ? `${name} may mean the scheme of ${declaring.map(({ id }) => id).join(' or ')}: say which, with { agent }`
      : `${name} names no scheme with a guard: declare it in the securitySchemes of an agent, with httpBearer() or its like`,
  );
}

function onlyWith(agent: AgentDefinition, scheme: string): AgentDefinition {
  const { [scheme]: declaration } = agent.options.securitySchemes ?? {};
  return { ...agent, options: { ...agent.options, securitySchemes: { [scheme]: declaration! } } };
}
