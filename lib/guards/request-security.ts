import { ForbiddenException, HttpException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import type { AgentDefinition } from '../interfaces/agent-registry.js';
import {
  HOST_GUARD,
  isGuarded,
  type Authenticator,
  type GuardedScheme,
  type SchemeOutcome,
} from '../interfaces/security.js';
import { toUser } from '../interfaces/to-user.js';
import type { AppGuards } from './app-guards.js';
import { carriesCredentials } from './schemes/carries-credentials.js';
import { credentialSource } from './schemes/credential-source.js';

type Request = { user?: unknown };

const UNKNOWN: SchemeOutcome = { kind: 'refused', reason: 'unknown-scheme' };
const ABSENT: SchemeOutcome = { kind: 'absent' };
const REFUSED: SchemeOutcome = { kind: 'refused', reason: 'guard' };

/** What the schemes of an agent say about one request, each asked once. */
export class RequestSecurity {
  readonly #outcomes = new Map<string, Promise<SchemeOutcome>>();
  readonly #request: Request;
  /** What global guards of the host left. */
  readonly #userOfHost: unknown;
  #queue: Promise<unknown> | undefined;

  constructor(
    private readonly agent: AgentDefinition,
    private readonly context: ExecutionContext,
    private readonly guards: AppGuards,
  ) {
    this.#request = context.switchToHttp().getRequest<Request>();
    this.#userOfHost = this.#request.user;
  }

  readonly authenticate = (name: string): Promise<SchemeOutcome> => {
    const known = this.#outcomes.get(name);
    if (known) return known;
    const outcome = this.#ask(name);
    this.#outcomes.set(name, outcome);
    return outcome;
  };

  #ask(name: string): Promise<SchemeOutcome> {
    const schemes = this.agent.options.securitySchemes ?? {};
    const declaration = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
    if (!declaration || !isGuarded(declaration)) return Promise.resolve(UNKNOWN);
    const { guard } = declaration;
    if (guard === HOST_GUARD) return this.#byHost();
    const source = credentialSource(this.#request);
    if (isAuthenticator(guard)) return Promise.resolve(guard.authenticate(source));
    // A guard says 401 for wrong credentials and for none.
    const otherwise = carriesCredentials(declaration.scheme, source) ? REFUSED : ABSENT;
    return this.guards
      .get(guard, this.agent.target, this.#request)
      .then((instance) => this.#byGuard(instance, otherwise));
  }

  async #byHost(): Promise<SchemeOutcome> {
    const user = toUser(this.#userOfHost);
    return user ? { kind: 'accepted', user } : ABSENT;
  }

  /** Guards share `request.user`, so they run one after the other, and what was there is put back. */
  #byGuard(guard: CanActivate, otherwise: SchemeOutcome): Promise<SchemeOutcome> {
    const before = this.#queue ?? Promise.resolve();
    const run = before.then(async (): Promise<SchemeOutcome> => {
      const request = this.#request;
      const userBefore = request.user;
      request.user = undefined;
      try {
        const allowed = await activate(guard, this.context);
        if (!allowed) return REFUSED;
        return { kind: 'accepted', user: toUser(request.user) };
      } catch (error) {
        if (error instanceof ForbiddenException) return REFUSED;
        if (error instanceof HttpException && error.getStatus() === 401) return otherwise;
        throw error;
      } finally {
        request.user = userBefore;
      }
    });
    this.#queue = run.catch(() => undefined);
    return run;
  }
}

function isAuthenticator(guard: Exclude<GuardedScheme['guard'], string>): guard is Authenticator {
  return typeof guard === 'object' && 'authenticate' in guard && !('canActivate' in guard);
}

async function activate(guard: CanActivate, context: ExecutionContext): Promise<boolean> {
  const answer = guard.canActivate(context);
  return isObservable(answer) ? lastValueFrom(answer) : answer;
}
