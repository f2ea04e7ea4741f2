import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import { RouteNotFoundError } from '../protocol/errors.js';
import { logInternal } from '../http/error-log.js';
import { respondWithError } from './error-response.js';
import { toA2AError } from '../http/exception-to-error.js';
import { httpExchange } from '../http/http-exchange.js';
import { callOf } from './incoming-call.js';
import { Refusals } from './refusals.js';

/**
 * Shapes whatever is thrown below a generated controller, by guards and interceptors too, as an error of the call's
 * binding. Global filters never see it.
 */
@Catch()
export class A2AExceptionFilter implements ExceptionFilter {
  constructor(
    private readonly refusals: Refusals,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const exchange = httpExchange(http.getResponse());
    const call = callOf(http.getRequest());
    const error = toA2AError(exception);
    logInternal(error);
    if (call) this.refusals.note(error, call);
    if (call) return respondWithError(call, error, exchange, this.options.specPatch);
    // The router found the controller by a spelling of the path that is not the declared one.
    const { message, details } = new RouteNotFoundError();
    const body = JSON.stringify({ error: { code: 404, status: 'NOT_FOUND', message, details } });
    exchange.answer({ status: 404, contentType: 'application/json; charset=utf-8', body });
  }
}
