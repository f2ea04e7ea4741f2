import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { watchChild } from './secrets/watch-child.js';

const MAIN = {
  'scripted-agent': '../fixtures/dist/scripted-agent/main.js',
  'tck-sut': '../fixtures/dist/tck-sut/main.js',
} as const;

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A built fixture in a process of its own. */
export interface FixtureProcess {
  readonly pid: number;
  /** 0 for workers, which serve nothing. */
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly base: string;
  /** What it wrote to stderr so far. */
  readonly log: string;
  readonly running: boolean;
  /** Resolves when it has ended, by whatever. */
  readonly exited: Promise<Exit>;
  /** Asks it to end, as a deploy does, and waits for that. */
  stop(): Promise<Exit>;
  /** Ends it at once, as a crash does. */
  kill(): Promise<Exit>;
  /** Blocks it as a whole, timers and event loop included, until `resume()`. */
  pause(): void;
  resume(): void;
}

/** Starts fixtures, and ends what is left of them. One for each test file: `afterAll(() => processes.end())`. */
export class Processes {
  readonly #started: FixtureProcess[] = [];

  /** @param shared variables that all processes get, such as where the servers are. */
  constructor(private readonly shared: NodeJS.ProcessEnv = {}) {}

  /** Starts a fixture on a free port, unless PORT says otherwise, and waits until it is ready. */
  async start(
    env: NodeJS.ProcessEnv = {},
    fixture: keyof typeof MAIN = 'scripted-agent',
  ): Promise<FixtureProcess> {
    const child = fork(fileURLToPath(new URL(MAIN[fixture], import.meta.url)), [], {
      env: { ...process.env, NODE_ENV: 'test', PORT: '0', CAPABILITIES: 'streaming', ...this.shared, ...env },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    watchChild(child);
    const killed = () => child.kill('SIGKILL');
    process.once('exit', killed);
    child.once('exit', () => process.off('exit', killed));
    const started = await ready(child);
    this.#started.push(started);
    return started;
  }

  /** Ends every process that still runs. */
  async end(): Promise<void> {
    await Promise.all(this.#started.map((started) => started.kill()));
  }
}

async function ready(child: ChildProcess): Promise<FixtureProcess> {
  const exited = once(child, 'exit').then(([code, signal]): Exit => ({ code, signal }));
  let log = '';
  child.stderr!.on('data', (data: Buffer) => (log += data.toString()));
  const port = await new Promise<number>((resolve, reject) => {
    let out = '';
    child.stdout!.on('data', (data: Buffer) => {
      out += data.toString();
      const [, port] = /^ready (\d+)$/m.exec(out) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
    void exited.then(({ code, signal }) =>
      reject(new Error(`The fixture ended by ${code ?? signal}\n${log}`)),
    );
  });
  const running = () => child.exitCode === null && child.signalCode === null;
  const end = (signal: NodeJS.Signals): Promise<Exit> => {
    if (running()) child.kill(signal);
    return exited;
  };
  return {
    pid: child.pid!,
    port,
    base: `http://127.0.0.1:${port}`,
    get log() {
      return log;
    },
    get running() {
      return running();
    },
    exited,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
}
