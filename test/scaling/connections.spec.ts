import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Backing, type BackingKind, createBacking } from '../support/backing.js';
import { M } from '../support/message.js';
import { Processes } from '../support/processes.js';
import { rpc, rpcStream } from '../support/rpc.js';
import { describeWithServer } from '../support/servers.js';
import { sse } from '../support/sse.js';

const TASKS = 20;
const STREAMS = 1_000;
/** Of the fixture, see loadBacking(). */
const POOL = 5;
const REDIS_CONNECTIONS = 3;

/** Open streams of one process over a backing, spread over running tasks. */
class ManyStreams {
  readonly #processes = new Processes();
  readonly #ids: string[] = [];
  readonly #ends: Promise<string | undefined>[] = [];
  #base = '';

  private constructor(
    readonly backing: Backing,
    private readonly connectionName: string,
  ) {}

  static async open(kind: BackingKind): Promise<ManyStreams> {
    const backing = await createBacking(kind);
    const streams = new ManyStreams(backing, backing.settings.redisPrefix);
    await streams.#start().catch(async (error: unknown) => {
      await streams.close();
      throw error;
    });
    return streams;
  }

  async #start(): Promise<void> {
    const redis = new URL(this.backing.settings.redisUrl);
    redis.searchParams.set('connectionName', this.connectionName);
    const { base } = await this.#processes.start({ ...this.backing.env, REDIS_URL: redis.href });
    this.#base = base;
    for (let i = 0; i < TASKS; i++) {
      const extra = { configuration: { returnImmediately: true } };
      const { body } = await rpc(base, 'SendMessage', M('hold:600000', extra));
      this.#ids.push(body.result.task.id);
    }
    for (let open = 0; open < STREAMS; open += 50)
      await Promise.all(Array.from({ length: 50 }, (_, i) => this.#subscribe(open + i)));
  }

  /** Resolves at the first event of the stream. */
  async #subscribe(i: number): Promise<void> {
    const frames = sse(await rpcStream(this.#base, 'SubscribeToTask', { id: this.#ids[i % TASKS]! }));
    await frames.next();
    this.#ends.push(lastState(frames));
  }

  /** Cancels all tasks, and answers the state that each stream ended with. */
  async end(): Promise<(string | undefined)[]> {
    await Promise.all(this.#ids.map((id) => rpc(this.#base, 'CancelTask', { id })));
    return Promise.all(this.#ends);
  }

  /** How many connections to Redis the process holds. */
  async redisConnections(): Promise<number> {
    const redis = new Redis(this.backing.settings.redisUrl);
    const list = String(await redis.client('LIST'));
    await redis.quit();
    return list.split('\n').filter((line) => line.includes(` name=${this.connectionName} `)).length;
  }

  /** What a statement with `?` for the name of the process's database counts. */
  async count(type: 'postgres' | 'mariadb', statement: string): Promise<number> {
    const { databaseUrl } = this.backing.settings;
    const administrator = new URL(databaseUrl);
    const database = administrator.pathname.slice(1);
    administrator.pathname = type === 'postgres' ? '/postgres' : '/';
    const source = await new DataSource({ type, url: administrator.href }).initialize();
    try {
      const [{ count }] = await source.query(statement.replace('?', `'${database}'`));
      return Number(count);
    } finally {
      await source.destroy();
    }
  }

  async close(): Promise<void> {
    await this.#processes.end();
    await this.backing.drop();
  }
}

async function lastState(frames: AsyncIterable<{ readonly data?: any }>): Promise<string | undefined> {
  let state: string | undefined;
  for await (const { data } of frames) state = data?.result?.statusUpdate?.status.state ?? state;
  return state;
}

const IN_POSTGRES = 'SELECT count(*) AS count FROM pg_stat_activity WHERE datname = ?';
const IN_MARIADB = 'SELECT count(*) AS count FROM information_schema.processlist WHERE db = ?';

/** The streams are those of one suite: opening 1 000 takes a while. */
function withStreams(kind: BackingKind, body: (streams: () => ManyStreams) => void): void {
  let streams: ManyStreams | undefined;
  beforeAll(async () => {
    streams = await ManyStreams.open(kind);
  }, 120_000);
  afterAll(() => streams?.close());
  body(() => streams!);
  it('and all of them get the last event', async () => {
    expect(await streams!.end()).toEqual(Array<string>(STREAMS).fill('TASK_STATE_CANCELED'));
  }, 60_000);
}

describeWithServer('1 000 streams of one process, tasks in PostgreSQL', 'postgres', () => {
  describeWithServer('and logs in Redis', 'redis', () => {
    withStreams({ STORE: 'postgres', QUEUE: 'redis' }, (streams) => {
      it('hold at most three connections to Redis, and no more to the database than its pool', async () => {
        const redis = await streams().redisConnections();
        expect(redis).toBeGreaterThan(0);
        expect(redis).toBeLessThanOrEqual(REDIS_CONNECTIONS);
        expect(await streams().count('postgres', IN_POSTGRES)).toBeLessThanOrEqual(POOL);
      });
    });
  });
});

describeWithServer('1 000 streams of one process, tasks and logs in PostgreSQL', 'postgres', () => {
  withStreams({ STORE: 'postgres', QUEUE: 'typeorm' }, (streams) => {
    it('hold no more connections than the pool, and the one that listens', async () => {
      expect(await streams().count('postgres', IN_POSTGRES)).toBeLessThanOrEqual(POOL + 1);
      const listens = `${IN_POSTGRES} AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')`;
      expect(await streams().count('postgres', listens)).toBe(1);
    });
  });
});

describeWithServer('1 000 streams of one process, tasks and logs in MariaDB', 'mariadb', () => {
  withStreams({ STORE: 'mariadb', QUEUE: 'typeorm' }, (streams) => {
    it('hold no more connections than the pool', async () => {
      const count = await streams().count('mariadb', IN_MARIADB);
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThanOrEqual(POOL);
    });
  });
});
