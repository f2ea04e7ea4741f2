import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentCard, AgentInterface } from 'nest-a2a';

/** A request as a peer got it, with its whole body. */
export interface PeerRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Undefined when there was none. */
  readonly json: any;
}

export type PeerHandler = (request: PeerRequest, response: ServerResponse) => unknown;

/** A server that answers exactly what a test says. */
export class Peer {
  readonly requests: PeerRequest[] = [];
  readonly #server: Server;

  private constructor(private readonly handle: PeerHandler) {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(handle: PeerHandler): Promise<Peer> {
    const peer = new Peer(handle);
    peer.#server.listen(0, '127.0.0.1');
    await once(peer.#server, 'listening');
    return peer;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open. */
  sockets(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = message;
    const request = { method, url, headers, json: text === '' ? undefined : (JSON.parse(text) as unknown) };
    this.requests.push(request);
    await this.handle(request, response);
  }
}

/** A card with these interfaces, as in `['JSONRPC', 'http://127.0.0.1:1/a2a']`. */
export function cardWith(
  interfaces: readonly (readonly [binding: string, url: string, more?: Partial<AgentInterface>])[],
  more: Partial<AgentCard> = {},
): AgentCard {
  return {
    name: 'Peer',
    description: 'Answers what a test says',
    version: '1.0.0',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    supportedInterfaces: interfaces.map(([protocolBinding, url, rest]) => ({
      protocolBinding,
      url,
      protocolVersion: '1.0',
      ...rest,
    })),
    ...more,
  };
}

/** Answers with JSON. */
export function answerJson(response: ServerResponse, json: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
}

/** Answers a JSON-RPC request. */
export function answerRpc(request: PeerRequest, response: ServerResponse, result: unknown): void {
  answerJson(response, { jsonrpc: '2.0', id: request.json.id, result });
}

export const TASK = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } } as const;
