import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { AgentCard, AgentInterface } from 'nest-a2a';
import { type HostileRequest, readRequests } from './raw-http.js';

/** What a hostile agent does with one request. It may throw nothing and leave nothing open but what it means to. */
export type Reply = (exchange: Exchange) => void | Promise<void>;

/** One request, and the connection to answer it on, byte by byte. */
export class Exchange {
  constructor(
    readonly request: HostileRequest,
    readonly socket: Socket,
  ) {}

  /** Resolves when the peer has left. */
  get left(): Promise<void> {
    if (this.socket.closed) return Promise.resolve();
    return new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  /** Waits for the socket to drain; false once the peer has left. */
  async write(bytes: string | Uint8Array): Promise<boolean> {
    if (this.socket.destroyed) return false;
    if (this.socket.write(bytes)) return true;
    const drained = new Promise<void>((resolve) => this.socket.once('drain', resolve));
    await Promise.race([drained, this.left]);
    return !this.socket.destroyed;
  }

  /** The status line and headers; values that are arrays become several lines. */
  head(status: number, headers: Readonly<Record<string, string | readonly string[]>> = {}): Promise<boolean> {
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      [value].flat().map((one) => `${name}: ${one}\r\n`),
    );
    return this.write(`HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`);
  }

  /** A whole answer, as an honest server would give it. */
  async answer(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array) {
    await this.head(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
    await this.write(body);
  }

  /** An answer in JSON. */
  json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.answer(status, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));
  }

  /** The head of an event stream that ends where the connection does. */
  stream(headers: Readonly<Record<string, string>> = {}): Promise<boolean> {
    return this.head(200, { 'content-type': 'text/event-stream', connection: 'close', ...headers });
  }

  /** Each byte in a packet of its own. */
  async drip(bytes: string | Uint8Array): Promise<void> {
    this.socket.setNoDelay(true);
    for (const byte of Buffer.from(bytes)) {
      if (!(await this.write(Uint8Array.of(byte)))) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Ends the connection as if all had been said. */
  end(): void {
    this.socket.end();
  }

  /** Ends the connection by a TCP reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}

/**
 * A server that plays an agent badly. It serves a card at the well-known path, and answers everything else with the replies of its script, one
 * after another; the last one stays.
 */
export class HostileAgent {
  readonly requests: HostileRequest[] = [];
  /** Instead of the agent's own card. */
  card: Reply | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #script: Reply[] = [];

  private constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      // A peer that leaves in the middle is what these tests are about.
      socket.on('error', () => undefined);
      void this.#serve(socket);
    });
  }

  static async start(): Promise<HostileAgent> {
    const agent = new HostileAgent();
    agent.#server.listen(0, '127.0.0.1');
    await once(agent.#server, 'listening');
    return agent;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `http://127.0.0.1:PORT` */
  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Connections that are open. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Begins a new script, and forgets the requests of the last one. */
  script(...replies: Reply[]): void {
    this.#script = replies;
    this.requests.length = 0;
    this.card = undefined;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(socket: Socket): Promise<void> {
    for await (const request of readRequests(socket)) {
      const exchange = new Exchange(request, socket);
      if (request.path.includes('/.well-known/')) {
        await (this.card ?? ((asked) => asked.json(cardAt(this.base))))(exchange);
        continue;
      }
      this.requests.push(request);
      const reply = this.#script.length > 1 ? this.#script.shift() : this.#script[0];
      if (!reply) throw new Error(`The script has no reply to ${request.method} ${request.path}`);
      await reply(exchange);
    }
  }
}

/** A card that is right in everything, both bindings included. */
export function cardAt(base: string, changes: Partial<AgentCard> = {}): AgentCard {
  const [jsonRpc, rest] = (['JSONRPC', 'HTTP+JSON'] as const).map((protocolBinding): AgentInterface => {
    const path = protocolBinding === 'JSONRPC' ? 'jsonrpc' : 'rest';
    return { url: `${base}/a2a/${path}`, protocolBinding, protocolVersion: '1.0' };
  });
  return {
    name: 'Hostile',
    description: 'Says what it was told to',
    version: '1.0.0',
    supportedInterfaces: [jsonRpc!, rest!],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'any', name: 'Anything', description: 'Whatever the script says', tags: ['test'] }],
    ...changes,
  };
}
