import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnOwn } from './own-process.js';

/** A Redis of our own that writes each command to disk before it answers. */
export class RedisServer {
  #process: ChildProcess | undefined;

  constructor(
    readonly port: number,
    private readonly folder: string,
  ) {}

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const log = openSync(join(this.folder, 'redis.log'), 'a');
    const args = ['--port', `${this.port}`, '--bind', '127.0.0.1', '--dir', this.folder, '--save', ''];
    args.push('--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction');
    this.#process = spawnOwn('redis-server', args, { stdio: ['ignore', log, log] });
    await once(this.#process, 'spawn');
    for (let tries = 0; !(await isServing(this.port)); tries++) {
      if (this.#process.exitCode !== null || tries > 200)
        throw new Error(`Redis did not start: see ${this.folder}`);
      await sleep(50);
    }
  }

  /** Ends it without warning; what it had answered is on disk. */
  async kill(): Promise<void> {
    const process = this.#process;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const gone = once(process, 'exit');
    process.kill('SIGKILL');
    await gone;
  }
}

/** Whether it has loaded its data: while it loads, it answers PING with an error. */
function isServing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    const settle = (serving: boolean): void => {
      socket.destroy();
      resolve(serving);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (bytes) => settle(bytes.toString().startsWith('+PONG')));
  });
}
