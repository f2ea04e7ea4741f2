import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchChild } from '../support/secrets/watch-child.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SAMPLE = join(ROOT, 'sample/06-push');

let child: ChildProcess;
let receiver: string;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', SAMPLE]);
  const ports = { PORT: String(await freePort()), RECEIVER_PORT: String(await freePort()) };
  receiver = `http://localhost:${ports.RECEIVER_PORT}`;
  child = spawn(process.execPath, [join(SAMPLE, 'dist/main.js')], {
    env: { ...process.env, ...ports },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  watchChild(child);
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    const read = (data: Buffer) => {
      printed += data;
      if (printed.includes('What came of it')) resolve();
    };
    child.stdout!.on('data', read);
    child.stderr!.on('data', read);
    child.once('exit', (code) => reject(new Error(`The sample ended with ${code}:\n${printed}`)));
  });
}, 120_000);

afterAll(async () => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
});

describe('the sample of push notifications', () => {
  it('is told of the parcel, in order', async () => {
    const response = await fetch(`${receiver}/parcels/42`, { method: 'POST' });
    const { task } = (await response.json()) as { task: { id: string } };
    expect(task.id).toBeTruthy();
    const news = async () => (await fetch(`${receiver}/parcels/42`)).json();
    await expect.poll(news, { timeout: 15_000, interval: 100 }).toContain('TASK_STATE_COMPLETED');
    const told = (await news()) as string[];
    expect(told.slice(-5)).toEqual([
      'Picked up',
      'In the van',
      'At the door',
      'Parcel 42 was signed for by its owner',
      'TASK_STATE_COMPLETED',
    ]);
  }, 30_000);

  it('takes no notification of anybody else', async () => {
    const response = await fetch(`${receiver}/webhooks/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/a2a+json' },
      body: '{}',
    });
    expect(response.status).toBe(401);
  });

  it('ends when it is told to', async () => {
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
  }, 30_000);
});
