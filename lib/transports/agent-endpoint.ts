import { Inject, Injectable } from '@nestjs/common';
import { A2A_OPTIONS, type ResolvedOptions } from '../interfaces/module-options.js';
import type { EventStream } from '../interfaces/task-reader.js';
import { InternalError, RouteNotFoundError } from '../protocol/errors.js';
import { OPERATIONS } from '../protocol/operations.js';
import { keyHeaders } from './credential-headers.js';
import { logInternal } from '../http/error-log.js';
import { toA2AError } from '../http/exception-to-error.js';
import { httpExchange, type HttpExchange } from '../http/http-exchange.js';
import { callOf, type IncomingCall } from './incoming-call.js';
import { OpenStreams } from './open-streams.js';
import { OperationDispatcher } from './operation-dispatcher.js';
import { SseWriter, type EventFormat } from './sse-writer.js';

/** What stands behind every generated controller: answers one call, whole or as a stream. */
@Injectable()
export class AgentEndpoint {
  constructor(
    private readonly dispatcher: OperationDispatcher,
    private readonly streams: OpenStreams,
    @Inject(A2A_OPTIONS) private readonly options: ResolvedOptions,
  ) {}

  /** Resolves when the answer is given, or when its stream is open. Throws what the exception filter has to shape. */
  async serve(request: unknown, response: unknown): Promise<void> {
    const call = callOf(request);
    if (!call) throw new RouteNotFoundError();
    const exchange = httpExchange(response);
    const { operation, notification } = call.requested();
    // Nobody would learn what came of it, so nothing is done: A2A has no operation without an answer.
    if (notification) return exchange.end(204);
    const result = await this.dispatcher.dispatch(call, exchange, [request, response]);
    if (operation === 'GetExtendedAgentCard') keepPrivate(call, exchange);
    if (!OPERATIONS[operation].streaming) return exchange.answer(call.binding.answer(call, result));
    await this.stream(call, exchange, result as EventStream);
  }

  private async stream(call: IncomingCall, exchange: HttpExchange, source: EventStream): Promise<void> {
    const { maxSubscribeIdleSeconds, ...times } = this.options.transport;
    const isSubscription = call.requested().operation === 'SubscribeToTask';
    const idleMs = isSubscription ? maxSubscribeIdleSeconds * 1_000 : 0;
    call.release();
    const writer = new SseWriter(source, exchange, this.formatOf(call), { ...times, idleMs }, this.streams);
    // A stream that goes on where another broke has nothing to open with, and may stay silent for long.
    await writer.start(isSubscription && call.http.headers['last-event-id'] !== undefined);
  }

  private formatOf(call: IncomingCall): EventFormat {
    const [before, after] = call.binding.frame(call);
    const fail = (exception: unknown) => {
      const known = toA2AError(exception);
      // In the middle of a stream nothing but a failure of ours can happen.
      const error = known.reason === 'UNAVAILABLE' ? known : toInternal(exception);
      logInternal(error);
      return call.binding.fail(call, error, this.options.specPatch).body;
    };
    return { before, after, fail };
  }
}

/** An extended card may be another for each caller: no cache may show it to the next. */
function keepPrivate({ agent }: IncomingCall, exchange: HttpExchange): void {
  exchange.setHeader('Cache-Control', 'private');
  exchange.vary(['Authorization', 'Cookie', ...keyHeaders(agent)]);
}

function toInternal(exception: unknown): InternalError {
  return exception instanceof InternalError ? exception : new InternalError(undefined, { cause: exception });
}
