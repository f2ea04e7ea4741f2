import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Backing, createBacking } from '../support/backing.js';
import { M } from '../support/message.js';
import { watchChild } from '../support/secrets/watch-child.js';
import { readEvents } from '../support/sse.js';
import { describeWithServer } from '../support/servers.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SAMPLE = join(ROOT, 'sample/04-distributed');

interface Started {
  readonly base: string;
  readonly child: ChildProcess;
}

const started: ChildProcess[] = [];

/** Starts a process of the sample on a free port, and waits until it says where it is. */
async function start(env: NodeJS.ProcessEnv): Promise<Started> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [join(SAMPLE, 'dist/main.js')], {
    env: { ...inherited, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  watchChild(child);
  started.push(child);
  let printed = '';
  const base = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (data) => (printed += data));
    child.stdout.on('data', (data) => {
      printed += data;
      const [, url] = /ready at (http\S+)\/ready\n/.exec(printed) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`The sample ended with ${code}:\n${printed}`)));
  });
  return { base, child };
}

/** What a stream of the call says, in short. */
async function stream(base: string, agent: string, text: string): Promise<string[]> {
  const response = await fetch(`${base}/${agent}/jsonrpc`, {
    method: 'POST',
    headers: { 'A2A-Version': '1.0', 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: M(text) }),
  });
  const events = await readEvents(response);
  return events.map(({ data: { result } }) => {
    const { state, message } = (result.task ?? result.statusUpdate)?.status ?? {};
    return state ? [state, message?.parts[0].text].join(' ').trim() : textOf(result.artifactUpdate);
  });
}

const textOf = ({ artifact }: { artifact: { parts: [{ text: string }] } }): string => artifact.parts[0].text;

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', SAMPLE]);
}, 120_000);

afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

describe('the sample of distributed agents', () => {
  it('runs in one process on one SQLite file, and ends when it is told to', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nest-a2a-sample-'));
    try {
      const { base, child } = await start({ SQLITE_FILE: join(folder, 'tasks.sqlite') });
      const ready = await fetch(`${base}/ready`);
      expect([ready.status, await ready.json()]).toEqual([200, { ready: true }]);
      expect(await stream(base, 'reports', '2')).toEqual([
        'TASK_STATE_SUBMITTED',
        `TASK_STATE_WORKING Attempt 1, process ${child.pid}`,
        'Page 1. ',
        'Page 2. ',
        'TASK_STATE_COMPLETED',
      ]);
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 60_000);

  it('says what is missing for a process that shares its work', async () => {
    await expect(start({ ROLE: 'worker' })).rejects.toThrow('set DATABASE_URL and REDIS_URL');
  }, 60_000);
});

describeWithServer('the sample of distributed agents', 'postgres', () => {
  describeWithServer('with its web processes and workers', 'redis', () => {
    let backing: Backing | undefined;
    beforeAll(async () => {
      backing = await createBacking({ STORE: 'postgres', QUEUE: 'redis', RUNNER: 'bullmq' });
    });
    afterAll(() => backing?.drop());

    it('runs on a worker what a web process accepts', async () => {
      const { env } = backing!;
      const [web, worker] = await Promise.all([
        start({ ...env, ROLE: 'web' }),
        start({ ...env, ROLE: 'worker' }),
      ]);
      expect(await stream(web.base, 'reports', '1')).toEqual([
        'TASK_STATE_SUBMITTED',
        `TASK_STATE_WORKING Attempt 1, process ${worker.child.pid}`,
        'Page 1. ',
        'TASK_STATE_COMPLETED',
      ]);
      expect((await fetch(`${worker.base}/ready`)).status).toBe(200);
      expect((await fetch(`${worker.base}/reports/rest/tasks`)).status).toBe(404);
    }, 60_000);
  });
});
