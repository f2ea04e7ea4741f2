import { Agent } from 'node:http';
import type { LoggerService } from '@nestjs/common';
import { QueueManager } from 'nest-a2a';
import { OpenStreams } from '../../lib/transports/open-streams.js';
import { type Fixture, startFixture } from '../fixtures/scripted-agent/bootstrap.js';
import { type Extra, M } from '../support/message.js';
import { rpc } from '../support/rpc.js';
import { exchange, type RawAnswer } from './exchange.js';
import type { FuzzRequest } from './fuzz-request.js';

const ADA = { authorization: 'Bearer user:ada' };

/** The server under fire, with an eye on what it holds. */
export class Target {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #tasks = new Set<string>();
  readonly #words = new Map<string, string>();
  #watchers = 0;

  private constructor(
    private readonly fixture: Fixture,
    /** What the server logged as an error: nothing that a client sends may be one. */
    readonly errors: readonly unknown[],
  ) {}

  get #queue(): QueueManager {
    return this.fixture.app.get(QueueManager, { strict: false });
  }

  static async start(adapter: string): Promise<Target> {
    const errors: unknown[] = [];
    const error = (...told: unknown[]) => void errors.push(told);
    const env = {
      PORT: '0',
      ADAPTER: adapter,
      AUTH: 'bearer',
      EXTENSIONS: 'https://example.com/ext',
      BODY_LIMIT: '65536',
      CANCEL_GRACE_MS: '100',
    };
    const logger: LoggerService = { log() {}, warn() {}, error, fatal: error };
    const target = new Target(await startFixture(env, logger), errors);
    target.#observe();
    await target.#createTasks();
    return target;
  }

  /** Sends a request to a binding, with the ids of real tasks in place of the words that stand for them. */
  send(base: string, request: FuzzRequest): Promise<RawAnswer | undefined> {
    const path = this.fillIn(request.path);
    const body = request.body === undefined ? undefined : this.fillIn(request.body);
    return exchange(this.#agent, this.fixture.port, base, { ...request, path, body });
  }

  /** Puts in what words stand for: ids of tasks, and what would be too long to be read in a report. */
  fillIn(chars: string): string {
    return chars
      .replace(/\$(?:done|parked|live|canceled)/g, (word) => this.#words.get(word) ?? word)
      .replace(/"\$deep(\d+)"/g, (_, n: string) => '['.repeat(Number(n)) + ']'.repeat(Number(n)))
      .replace(/\$open(\d+)/g, (_, n: string) => '['.repeat(Number(n)));
  }

  /** Gives words whose task was ended by somebody a new one. */
  async refresh(): Promise<void> {
    if (await this.#hasEnded('$parked')) this.#words.set('$parked', (await this.#send('park')).id);
    if (await this.#hasEnded('$live')) this.#words.set('$live', (await this.#sendLive()).id);
  }

  async #hasEnded(word: string): Promise<boolean> {
    return (await this.#queue.head(this.#words.get(word) ?? ''))?.closed ?? true;
  }

  /** What is still going on, in words; empty when the server is at rest. */
  async unrest(): Promise<string[]> {
    const queue = this.#queue;
    const restless: string[] = [];
    for (const id of this.#tasks) {
      const head = await queue.head(id);
      if (!head || head.closed) continue;
      const waiting = (await queue.read(id, head.taken)).some(({ command }) => command?.kind === 'message');
      if (head.holder || head.runState !== 'parked' || waiting)
        restless.push(`task ${id} is ${head.runState}`);
    }
    const streams = this.fixture.app.get(OpenStreams, { strict: false }).size;
    if (streams > 0) restless.push(`${streams} streams are open`);
    if (this.#watchers > 0) restless.push(`${this.#watchers} watchers are left`);
    return restless;
  }

  /** Ends the task that was started to be live. */
  async cancelLive(): Promise<void> {
    await rpc(this.fixture.base, 'CancelTask', { id: this.#words.get('$live') }, ADA);
  }

  async quick(): Promise<unknown> {
    return (await this.#send('quick')).status.state;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.fixture.close();
  }

  async #send(text: string, extra: Extra = {}) {
    return (await rpc(this.fixture.base, 'SendMessage', M(text, extra), ADA)).body.result.task;
  }

  async #createTasks(): Promise<void> {
    this.#words.set('$done', (await this.#send('quick')).id);
    const canceled = (await this.#sendLive()).id;
    await rpc(this.fixture.base, 'CancelTask', { id: canceled }, ADA);
    this.#words.set('$canceled', canceled);
    await this.refresh();
  }

  #sendLive() {
    return this.#send('hold:600000', { configuration: { returnImmediately: true } });
  }

  /** Counts tasks and watchers as they come and go. */
  #observe(): void {
    const queue = this.#queue;
    const { create, watch } = queue;
    queue.create = (id, ...others) => {
      this.#tasks.add(id);
      return create.call(queue, id, ...others);
    };
    queue.watch = (id, listener) => {
      const unwatch = watch.call(queue, id, listener);
      let watching = true;
      this.#watchers += 1;
      return () => {
        if (watching) this.#watchers -= 1;
        watching = false;
        unwatch();
      };
    };
  }
}
