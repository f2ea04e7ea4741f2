// @ts-check
// The other processes of a run: the servers, and the load generator.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const FILES = {
  ours: '../test/fixtures/dist/scripted-agent/main.js',
  official: './servers/official.js',
  bare: './servers/bare.js',
  guarded: './servers/guarded.js',
  canned: './servers/canned.js',
};

/** @typedef {keyof typeof FILES} ServerName */
/** @typedef {Awaited<ReturnType<typeof startServer>>} Server */

/** @param {string} file @param {NodeJS.ProcessEnv} env @param {string[]} execArgv */
function start(file, env = {}, execArgv = [], args = /** @type {string[]} */ ([])) {
  return fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    execArgv,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

/** @param {ServerName} name @param {NodeJS.ProcessEnv} env variables of the scripted agent */
export async function startServer(name, env = {}) {
  const child = start(FILES[name], { PORT: '0', CAPABILITIES: 'streaming', ...env }, ['--expose-gc']);
  const port = await readyPort(child, name);

  /** Bytes in use after a collection; the least of three, for what was still on its way. */
  const memory = async () => {
    let least = Infinity;
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      child.send('memory');
      const [message] = await once(child, 'message');
      least = Math.min(least, message.memory.heapUsed + message.memory.external);
    }
    return least;
  };
  return { name, port, memory, stop: () => stop(child) };
}

/** @param {import('node:child_process').ChildProcess} child @param {string} name @returns {Promise<number>} */
function readyPort(child, name) {
  return new Promise((resolve, reject) => {
    let out = '';
    let faults = '';
    child.stdout?.on('data', (data) => {
      out += data;
      const port = /^ready (\d+)$/m.exec(out)?.[1];
      if (port) resolve(Number(port));
    });
    child.stderr?.on('data', (data) => (faults = (faults + data).slice(-4_000)));
    child.once('exit', (code) => reject(new Error(`Server ${name} ended with ${code}\n${faults}`)));
  });
}

/** @param {import('node:child_process').ChildProcess} child */
async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** The load generator in a process of its own. */
export function startLoad() {
  const child = start('./load/worker.js');
  child.stderr?.pipe(process.stderr);
  return {
    /** @param {keyof typeof import('./load/jobs.js').JOBS} job @param {object} options @returns {Promise<any>} */
    run: (job, options = {}) => ask(child, { job, options }),
    stop: () => stop(child),
  };
}

/** A process that drives one of the clients. @param {'ours' | 'official'} name */
export function startDriver(name) {
  const child = start('./clients/driver.js', {}, ['--expose-gc'], [name]);
  child.stderr?.pipe(process.stderr);
  return {
    /** @param {import('./clients/driver.js').Drive} drive @returns {Promise<number>} */
    run: (drive) => ask(child, drive),
    stop: () => stop(child),
  };
}

/** @param {import('node:child_process').ChildProcess} child @param {object} request @returns {Promise<any>} */
async function ask(child, request) {
  const settled = new AbortController();
  const ended = once(child, 'exit', settled).then(([code]) => {
    throw new Error(`The process ended with ${code}`);
  });
  child.send(request);
  const [message] = await Promise.race([once(child, 'message', settled), ended]);
  settled.abort();
  if (message.error) throw new Error(message.error);
  return message.result;
}
