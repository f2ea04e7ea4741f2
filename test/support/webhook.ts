import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamResponse, Task, TaskState } from 'nest-a2a';

/** A request that a webhook got. */
export interface Received {
  /** ms since the epoch. */
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly id: string;
  readonly body: string;
  readonly event: StreamResponse;
  /** What it was answered; undefined while it is not. */
  status?: number;
}

/** How a request is answered; a status alone is answered at once. */
export interface WebhookAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Answerer = (
  request: Received,
  /** How many came before it. */
  index: number,
) => number | WebhookAnswer | Promise<number | WebhookAnswer>;

/** A receiver of push notifications on the loopback. */
export class Webhook {
  readonly received: Received[] = [];
  readonly #changes = new EventEmitter();

  private constructor(
    private readonly server: Server,
    private answerer: Answerer,
  ) {}

  /** Answers 200 to everything unless told otherwise. */
  static async open(answerer: Answerer = () => 200): Promise<Webhook> {
    const server = createServer();
    const webhook = new Webhook(server, answerer);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await webhook.#take(
        request.url ?? '',
        request.headers,
        Buffer.concat(chunks).toString(),
      );
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return webhook;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Another behaviour from now on. */
  answer(answerer: Answerer): void {
    this.answerer = answerer;
  }

  /** Those that were answered with success, to one path when it is given. */
  delivered(path?: string): Received[] {
    return this.received.filter(
      ({ status, path: to }) => status !== undefined && status < 300 && (path ?? to) === to,
    );
  }

  /** Resolves when the condition holds, which is asked after every answer. Throws when it takes too long. */
  async until(condition: () => boolean, timeoutMs = 10_000): Promise<void> {
    const signal = AbortSignal.timeout(timeoutMs);
    while (!condition()) {
      await once(this.#changes, 'change', { signal }).catch(() => {
        throw new Error(`Not within ${timeoutMs} ms; received ${this.received.map(line).join(', ')}`);
      });
    }
  }

  /** Resolves when a path was told the end of a task. */
  untilEnd(path?: string, timeoutMs?: number): Promise<void> {
    const ends = /COMPLETED|FAILED|CANCELED|REJECTED/;
    return this.until(
      () => this.delivered(path).some(({ event }) => ends.test(stateIn(event) ?? '')),
      timeoutMs,
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #take(path: string, headers: IncomingHttpHeaders, body: string): Promise<WebhookAnswer> {
    const request: Received = {
      at: Date.now(),
      path,
      headers,
      id: String(headers['x-a2a-notification-id']),
      body,
      event: JSON.parse(body) as StreamResponse,
    };
    const index = this.received.push(request) - 1;
    const answer = await this.answerer(request, index);
    const full = typeof answer === 'number' ? { status: answer } : answer;
    request.status = full.status;
    this.#changes.emit('change');
    return full;
  }
}

/** The state that an event tells, if any. */
export function stateIn({ task, statusUpdate }: StreamResponse): TaskState | undefined {
  return (statusUpdate ?? task)?.status.state;
}

export function taskIdIn({ task, statusUpdate, artifactUpdate }: StreamResponse): Task['id'] | undefined {
  return task?.id ?? (statusUpdate ?? artifactUpdate)?.taskId;
}

/** All the text that chunks brought, in the order in which it came. */
export function chunksIn(received: readonly Received[]): string {
  return received
    .flatMap(({ event }) => event.artifactUpdate?.artifact.parts ?? [])
    .map(({ text }) => text)
    .join('');
}

function line({ path, event, status }: Received): string {
  return `${path} ${stateIn(event) ?? Object.keys(event).join()} → ${status ?? 'open'}`;
}
