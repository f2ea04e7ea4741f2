import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { SchemeSecurity } from '../guards/scheme-security.js';
import { RouteNotFoundError } from '../protocol/errors.js';
import { a2aCall } from './a2a-call.js';
import { httpExchange } from '../http/http-exchange.js';
import { callOf } from './incoming-call.js';
import { Refusals } from './refusals.js';

/**
 * Stands in front of the controllers of an agent whose card declares schemes, after global guards and before those of
 * the agent's class. It leaves the user in `request.user`.
 */
@Injectable()
export class SecurityGuard implements CanActivate {
  constructor(
    private readonly security: SchemeSecurity,
    private readonly refusals: Refusals,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<{ user?: unknown }>();
    const call = callOf(request);
    if (!call) throw new RouteNotFoundError();
    const verdict = await this.security.check(call.agent, context, () => a2aCall(context)?.skill);
    if (verdict?.admitted === false) {
      throw this.refusals.refuse(verdict, call, httpExchange(http.getResponse()));
    }
    if (verdict?.user) request.user = verdict.user;
    return true;
  }
}
