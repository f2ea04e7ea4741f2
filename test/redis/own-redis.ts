import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

/** Whether this machine can start a Redis of its own. */
export const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0;

/** A Redis that the test started: it persists nothing unless told. */
export class OwnRedis implements AsyncDisposable {
  #child: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly settings: readonly string[],
  ) {}

  static async start(...settings: readonly string[]): Promise<OwnRedis> {
    const redis = new OwnRedis(await freePort(), await mkdtemp(join(tmpdir(), 'nest-a2a-redis-')), settings);
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const place = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.folder];
    const habits = ['--save', '', '--appendonly', 'no', '--loglevel', 'warning', ...this.settings];
    this.#child = spawn('redis-server', [...place, ...habits], { stdio: 'ignore' });
    const client = new Redis(this.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    client.on('error', () => {});
    await client.ping();
    client.disconnect();
  }

  async stop(): Promise<void> {
    const child = this.#child!;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Three masters that share the slots. */
export async function startCluster(): Promise<readonly OwnRedis[]> {
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'];
  const nodes = [
    await OwnRedis.start(...settings),
    await OwnRedis.start(...settings),
    await OwnRedis.start(...settings),
  ];
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const args = ['--cluster', 'create', ...addresses, '--cluster-yes', '--cluster-replicas', '0'];
  const { status, stdout } = spawnSync('redis-cli', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout);
  return nodes;
}

/** Free, and so is the one 10 000 above it, where nodes of a cluster talk to each other. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
