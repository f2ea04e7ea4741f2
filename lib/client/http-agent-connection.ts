import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentCard } from '../protocol/model.js';
import type { OperationName, RequestOf, ResponseOf, StreamingOperationName } from '../protocol/operations.js';
import { authInterceptor } from './auth/auth-options.js';
import { checkClientOptions } from './check-client-options.js';
import { AgentConnection, type Resumption } from './agent-connection.js';
import { callHeaders } from './calls/call-headers.js';
import { intercepted } from './calls/intercept.js';
import { RetryPolicy, wasNotReached } from './calls/retry-policy.js';
import { Routes } from './calls/routes.js';
import { TrustedOrigins } from './calls/trusted-origins.js';
import { timeoutsFor } from './calls/timeouts.js';
import { ClientClosedError } from './client-errors.js';
import type { ClientInterceptor, OutgoingCall } from './client-interceptor.js';
import type { A2AClientOptions, AgentAddress, CallOptions, ClientBinding } from './client-options.js';
import type { ClientCall, ClientTransport, ReceivedEvents, UnaryOperationName } from './client-transport.js';
import { CardSource } from './discovery/card-source.js';
import { chooseInterfaces } from './discovery/choose-interfaces.js';
import { HttpPool } from './http/http-pool.js';
import { JsonRpcClientTransport } from './transports/json-rpc-client-transport.js';
import { RestClientTransport } from './transports/rest-client-transport.js';

const TRANSPORTS = { JSONRPC: JsonRpcClientTransport, 'HTTP+JSON': RestClientTransport } as const;
const BINDINGS: readonly ClientBinding[] = ['JSONRPC', 'HTTP+JSON'];

/** How one exchange of an operation is made. */
type Run<Name extends OperationName, Answer> = (
  transport: ClientTransport,
  request: RequestOf<Name>,
  call: ClientCall,
) => Promise<Answer>;

/** Where the next exchange goes. */
interface Way {
  readonly card: AgentCard;
  readonly routes: Routes;
  readonly transport: ClientTransport;
}

/** The way to an agent over HTTP. */
export class HttpAgentConnection extends AgentConnection {
  readonly #pool: HttpPool;
  readonly #cards: CardSource;
  readonly #trusted: TrustedOrigins;
  readonly #closing = new AbortController();
  /** Credentials come last: they depend on what the others make of the call. */
  readonly #interceptors: readonly ClientInterceptor[];
  /** Of the card that was used last. */
  #known: Omit<Way, 'transport'> | undefined;

  /** Throws TypeError for an address or options that cannot be. */
  constructor(
    address: AgentAddress,
    private readonly options: A2AClientOptions = {},
  ) {
    super();
    const timeouts = timeoutsFor('GetTask', options.timeouts);
    const { signatures, interceptors = [] } = options;
    this.#interceptors = [
      ...interceptors,
      authInterceptor(options, address.url ?? address.cardUrl) ?? [],
    ].flat();
    this.#pool = new HttpPool(options, timeouts.connectMs);
    this.#cards = new CardSource({
      address,
      pool: this.#pool,
      timeouts,
      signatures,
      headers: () => callHeaders({ ...options, extensions: [] }, {}, true),
    });
    this.#trusted = new TrustedOrigins(address, options.trustedOrigins);
  }

  override async card(options: CallOptions = {}): Promise<AgentCard> {
    checkClientOptions(options);
    return (await this.#cards.get(options.signal)).card;
  }

  override call<Name extends UnaryOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
  ): Promise<ResponseOf<Name>> {
    return this.#persist(operation, request, options, {}, (transport, outgoing, call) =>
      transport.call(operation, outgoing, call),
    );
  }

  override open<Name extends StreamingOperationName>(
    operation: Name,
    request: RequestOf<Name>,
    options: CallOptions = {},
    resumption: Resumption = {},
  ): Promise<ReceivedEvents> {
    return this.#persist(operation, request, options, resumption, (transport, outgoing, call) =>
      transport.stream(operation, outgoing, call),
    );
  }

  override close(): Promise<void> {
    this.#closing.abort(new ClientClosedError('The client was closed'));
    return this.#pool.close();
  }

  /** Exchanges until one succeeds, fails for good, or time is up. An agent that is not reached one way is tried on the others first. */
  async #persist<Name extends OperationName, Answer>(
    operation: Name,
    request: RequestOf<Name>,
    options: CallOptions,
    { attempt = 1, lastEventId }: Resumption,
    run: Run<Name, Answer>,
  ): Promise<Answer> {
    checkClientOptions(options);
    const { signal } = options;
    const timeouts = timeoutsFor(operation, this.options.timeouts, options.timeouts);
    const policy = new RetryPolicy(this.options.retry, options.retry);
    const { totalMs, leftMs = totalMs } = timeouts;
    const deadline = totalMs > 0 ? performance.now() + leftMs : Infinity;
    let exchanges = attempt;
    for (let tries = 1, missed = 0; ;) {
      signal?.throwIfAborted();
      let way: Way | undefined;
      try {
        way = await this.#connect(signal);
        const { card, transport } = way;
        const { agentInterface } = transport;
        const trusted = this.#trusted.has(agentInterface.url);
        const outgoing = (): OutgoingCall<Name> => ({
          operation,
          card,
          agentInterface,
          request: withTenant(request, agentInterface.tenant),
          headers: callHeaders(this.options, options, trusted),
          query: {},
          ...(signal && { signal }),
          attempt: exchanges++,
        });
        const send = ({ request: asked, headers, query }: OutgoingCall<Name>) =>
          run(transport, asked, {
            headers,
            query,
            timeouts:
              deadline === Infinity
                ? timeouts
                : { ...timeouts, leftMs: Math.max(1, deadline - performance.now()) },
            ...(lastEventId !== undefined && { lastEventId }),
            ...(signal && { signal }),
          });
        return await intercepted(this.#interceptors, outgoing, send);
      } catch (error) {
        if (way && wasNotReached(error)) {
          way.routes.leave(way.transport);
          if (++missed % way.routes.all.length !== 0) continue;
        }
        // Without a way it was the card that could not be had, which is no more than a question.
        const delay = policy.delayMs(way ? operation : 'GetExtendedAgentCard', error, tries++);
        if (delay === undefined || performance.now() + delay >= deadline) throw error;
        await this.#pause(delay, signal);
      }
    }
  }

  /** Throws the signal's reason, and ClientClosedError. */
  async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const ends = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    await sleep(ms, undefined, { signal: ends }).catch(() => ends.throwIfAborted());
  }

  async #connect(signal: AbortSignal | undefined): Promise<Way> {
    const found = await this.#cards.get(signal);
    if (this.#known?.card !== found.card) {
      const { bindings = BINDINGS, useClientPreference = false, allowRelativeUrls = false } = this.options;
      const interfaces = chooseInterfaces(found, { bindings, useClientPreference, allowRelativeUrls });
      const transports = interfaces.map(
        (one) => new TRANSPORTS[one.protocolBinding as ClientBinding](one, this.#pool),
      );
      this.#known = { card: found.card, routes: new Routes(transports) };
    }
    const { card, routes } = this.#known;
    return { card, routes, transport: routes.current };
  }
}

/** What the caller names goes before what the card names. */
function withTenant<Request extends { tenant?: string }>(
  request: Request,
  tenant: string | undefined,
): Request {
  return tenant ? { tenant, ...request } : request;
}
