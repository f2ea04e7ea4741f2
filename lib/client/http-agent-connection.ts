import { Agent, type Dispatcher } from 'undici';
import type { AgentCard } from '../protocol/model.js';
import type { OperationName, RequestOf, ResponseOf, StreamingOperationName } from '../protocol/operations.js';
import { AgentConnection, type Resumption } from './agent-connection.js';
import { callHeaders } from './calls/call-headers.js';
import { intercepted } from './calls/intercept.js';
import { timeoutsFor } from './calls/timeouts.js';
import { AgentDiscoveryError } from './client-errors.js';
import type { OutgoingCall } from './client-interceptor.js';
import type { A2AClientOptions, AgentAddress, CallOptions } from './client-options.js';
import type { ClientCall, ClientTransport, ReceivedEvent, UnaryOperationName } from './client-transport.js';
import { chooseInterfaces } from './discovery/choose-interfaces.js';
import { fetchCard } from './discovery/fetch-card.js';
import type { HttpOptions } from './transports/http-transport.js';
import { JsonRpcClientTransport } from './transports/json-rpc-client-transport.js';
import { RestClientTransport } from './transports/rest-client-transport.js';

const MEBIBYTE = 1024 * 1024;

/** The way to an agent over HTTP. */
export class HttpAgentConnection extends AgentConnection {
  readonly #own: Dispatcher | undefined;
  readonly #http: HttpOptions;
  #card: Promise<AgentCard> | undefined;
  #transport: ClientTransport | undefined;

  constructor(
    private readonly address: AgentAddress,
    private readonly options: A2AClientOptions = {},
  ) {
    super();
    this.#own = options.dispatcher ? undefined : new Agent();
    this.#http = {
      dispatcher: options.dispatcher ?? this.#own!,
      maxAnswerBytes: options.maxAnswerBytes ?? 10 * MEBIBYTE,
      maxEventLength: options.maxEventLength ?? 10 * MEBIBYTE,
    };
  }

  override card(options: CallOptions = {}): Promise<AgentCard> {
    if (this.address.card) return Promise.resolve(this.address.card);
    const timeouts = timeoutsFor('GetTask', this.options.timeouts, options.timeouts);
    this.#card ??= fetchCard(this.address, this.#http, { timeouts }).catch((error: unknown) => {
      this.#card = undefined;
      throw error;
    });
    return this.#card;
  }

  override call<Name extends UnaryOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
  ): Promise<ResponseOf<Name>> {
    return this.#exchange(operation, request, options, { attempt: 1 }, (transport, outgoing, call) =>
      transport.call(operation, outgoing, call),
    );
  }

  override open<Name extends StreamingOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
    resumption: Resumption = { attempt: 1 },
  ): Promise<AsyncIterableIterator<ReceivedEvent>> {
    return this.#exchange(operation, request, options, resumption, (transport, outgoing, call) =>
      transport.stream(operation, outgoing, call),
    );
  }

  override async close(): Promise<void> {
    await this.#own?.destroy();
  }

  async #exchange<Name extends OperationName, Answer>(
    operation: Name,
    request: RequestOf<Name>,
    options: CallOptions,
    { attempt, lastEventId }: Resumption,
    run: (transport: ClientTransport, request: RequestOf<Name>, call: ClientCall) => Promise<Answer>,
  ): Promise<Answer> {
    const card = await this.card(options);
    const transport = (this.#transport ??= this.#connect(card));
    const { agentInterface } = transport;
    const timeouts = timeoutsFor(operation, this.options.timeouts, options.timeouts);
    const { signal } = options;
    const outgoing = (repetition: number): OutgoingCall<Name> => ({
      operation,
      card,
      agentInterface,
      request: withTenant(request, agentInterface.tenant),
      headers: callHeaders(this.options, options),
      query: {},
      ...(signal && { signal }),
      attempt: attempt + repetition,
    });
    const send = (call: OutgoingCall<Name>) => {
      const { headers, query } = call;
      const resumed = lastEventId === undefined ? {} : { lastEventId };
      return run(transport, call.request, {
        headers,
        query,
        timeouts,
        ...resumed,
        ...(signal && { signal }),
      });
    };
    return intercepted(this.options.interceptors ?? [], outgoing as never, send as never);
  }

  #connect(card: AgentCard): ClientTransport {
    const { bindings = ['JSONRPC', 'HTTP+JSON'], useClientPreference = false } = this.options;
    const [best] = chooseInterfaces(card, bindings, useClientPreference);
    if (!best)
      throw new AgentDiscoveryError(`The agent ${card.name} has no interface that this client speaks`);
    return best.protocolBinding === 'JSONRPC'
      ? new JsonRpcClientTransport(best, this.#http)
      : new RestClientTransport(best, this.#http);
  }
}

/** What the caller names goes before what the card names. */
function withTenant<Request extends { tenant?: string }>(
  request: Request,
  tenant: string | undefined,
): Request {
  return tenant ? { tenant, ...request } : request;
}
