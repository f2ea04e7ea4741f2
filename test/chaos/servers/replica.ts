import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentSettings, Question, Said } from '../agent/settings.js';
import { spawnOwn } from './own-process.js';

const MAIN = fileURLToPath(new URL('../agent/main.js', import.meta.url));

/** A process that was told to stop must have stopped by then, in ms. */
const STOP_MS = 30_000;

type Ask = Question extends infer Q ? (Q extends Question ? Omit<Q, 'ask'> : never) : never;

/** One place in the cluster: a process, and after its end another, until the place is closed. */
export class Replica {
  #process: ChildProcess | undefined;
  #ready = false;
  #paused = false;
  #closed = false;
  #starts = 0;
  #failedBoots = 0;
  /** The process was told to go. */
  #ending = false;
  #lastAsk = 0;
  readonly #asked = new Map<
    number,
    { resolve: (value: readonly string[]) => void; reject: (error: Error) => void }
  >();
  #life: Promise<void> | undefined;

  /** What should not have happened. */
  readonly faults: string[] = [];

  constructor(
    readonly name: string,
    private readonly settings: Omit<AgentSettings, 'process'>,
    private readonly folder: string,
  ) {}

  get role(): 'web' | 'worker' {
    return this.settings.role;
  }

  get base(): string {
    return `http://127.0.0.1:${this.settings.port}`;
  }

  /** Serves, or works, and is not stopped. */
  get ready(): boolean {
    return this.#ready && !this.#paused;
  }

  /** Processes that were started here. */
  get starts(): number {
    return this.#starts;
  }

  /** Processes that ended before they served, as they do when a server is away. */
  get failedBoots(): number {
    return this.#failedBoots;
  }

  open(): void {
    this.#life = this.#live();
  }

  /** Sends a signal to the process; it is no longer counted on. */
  end(signal: 'SIGKILL' | 'SIGTERM'): void {
    const process = this.#process;
    this.#ready = false;
    this.#ending = true;
    process?.kill(signal);
    if (signal === 'SIGTERM') setTimeout(() => this.#force(process), STOP_MS).unref();
  }

  pause(): void {
    this.#paused = true;
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#paused = false;
    this.#process?.kill('SIGCONT');
  }

  /** Asks the process; rejects when it ends before it answers. */
  ask(question: Ask): Promise<readonly string[]> {
    const ask = ++this.#lastAsk;
    return new Promise((resolve, reject) => {
      this.#asked.set(ask, { resolve, reject });
      this.#process?.send({ ask, ...question }, (error) => error && this.#settle(ask, error));
    });
  }

  /** Ends the process by SIGTERM, and starts no other. */
  async close(): Promise<void> {
    this.#closed = true;
    this.resume();
    this.end('SIGTERM');
    await this.#life;
  }

  #force(process: ChildProcess | undefined): void {
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    this.faults.push(`${this.name}-${this.#starts} did not stop within ${STOP_MS} ms`);
    process.kill('SIGKILL');
  }

  async #live(): Promise<void> {
    while (!this.#closed) {
      const process = this.#spawn();
      await once(process, 'exit');
      if (!this.#ending) this.#note(process);
      this.#ready = false;
      this.#paused = false;
      for (const ask of this.#asked.keys()) this.#settle(ask, new Error(`${this.name} ended`));
    }
  }

  /** It ended by itself. */
  #note({ exitCode, signalCode }: ChildProcess): void {
    if (this.#ready)
      this.faults.push(`${this.name}-${this.#starts} ended by itself (${exitCode ?? signalCode})`);
    else this.#failedBoots += 1;
  }

  #spawn(): ChildProcess {
    this.#starts += 1;
    this.#ending = false;
    const name = `${this.name}-${this.#starts}`;
    const settings: AgentSettings = { ...this.settings, process: name };
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const child = spawnOwn(process.execPath, [MAIN], {
      env: { ...process.env, CHAOS: JSON.stringify(settings) },
      stdio: ['ignore', log, log, 'ipc'],
    });
    this.#process = child;
    child.on('message', (said: Said) => this.#hear(said));
    return child;
  }

  #hear(said: Said): void {
    if ('ready' in said) this.#ready = true;
    else this.#settle(said.answer, said.error === undefined ? (said.value ?? []) : new Error(said.error));
  }

  #settle(ask: number, outcome: readonly string[] | Error): void {
    const waiting = this.#asked.get(ask);
    this.#asked.delete(ask);
    if (outcome instanceof Error) waiting?.reject(outcome);
    else waiting?.resolve(outcome);
  }
}
