import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DroppingProxyOptions {
  /** `http://127.0.0.1:PORT` of the server behind it. */
  readonly target: string;
  /** The same seed drops at the same places. */
  readonly seed?: number;
  /** Takes the numbers away from events. */
  readonly stripIds?: boolean;
}

/**
 * A proxy that ends every event stream after one to three events, by a clean end or by a reset, in turn as its seed has it. Everything else passes
 * whole; the target's address in JSON becomes the proxy's own, so that a card leads here.
 */
export class DroppingProxy {
  /** Streams that were cut. */
  drops = 0;
  readonly #server: Server;
  readonly #random: () => number;

  private constructor(private readonly options: DroppingProxyOptions) {
    this.#random = mulberry32(options.seed ?? 1);
    this.#server = createServer((request, response) => this.#forward(request, response));
  }

  static async start(options: DroppingProxyOptions): Promise<DroppingProxy> {
    const proxy = new DroppingProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** `http://127.0.0.1:PORT` */
  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '/', headers } = request;
    const { host } = new URL(this.options.target);
    const behind = sendRequest(new URL(url, this.options.target), { method, headers: { ...headers, host } });
    behind.once('response', (answer) => {
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream');
      const passed = isStream ? this.#cut(answer, response, behind) : this.#whole(answer, response);
      passed.catch(() => response.destroy());
    });
    behind.once('error', () => response.destroy());
    response.once('close', () => behind.destroy());
    request.pipe(behind);
  }

  async #whole(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString().replaceAll(this.options.target, this.base);
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
    response.writeHead(answer.statusCode!, headers);
    response.end(body);
  }

  /** Comments pass and do not count. */
  async #cut(answer: IncomingMessage, response: ServerResponse, behind: ClientRequest): Promise<void> {
    response.writeHead(answer.statusCode!, answer.headers);
    response.flushHeaders();
    let left = 1 + Math.floor(this.#random() * 3);
    const byReset = this.#random() < 0.5;
    let pending = '';
    answer.setEncoding('utf8');
    for await (const chunk of answer) {
      pending += chunk;
      const frames = pending.split(/\r?\n\r?\n/);
      pending = frames.pop() ?? '';
      for (const frame of frames) {
        const shown = this.options.stripIds ? frame.replace(/^id:.*(\n|$)/m, '') : frame;
        // A reset may overtake what was written before it; what counts as sent must have left.
        await new Promise((resolve) => response.write(`${shown}\n\n`, resolve));
        if (/^data:/m.test(frame)) left -= 1;
        if (left > 0) continue;
        this.drops += 1;
        behind.destroy();
        if (byReset) response.socket?.resetAndDestroy();
        else response.end();
        return;
      }
    }
    response.end();
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
