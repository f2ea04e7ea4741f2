import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getText } from 'nest-a2a';
import { createA2AClient, type A2AClient } from 'nest-a2a/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchChild } from '../support/secrets/watch-child.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SAMPLE = join(ROOT, 'sample/05-multi-agent');

let child: ChildProcess;
let planner: A2AClient;

async function freePort(): Promise<string> {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', SAMPLE]);
  const [PORT, FLIGHTS_PORT, HOTELS_PORT] = [await freePort(), await freePort(), await freePort()];
  child = spawn(process.execPath, [join(SAMPLE, 'dist/main.js')], {
    env: { ...process.env, PORT, FLIGHTS_PORT, HOTELS_PORT },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  watchChild(child);
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    const read = (data: Buffer) => {
      printed += data;
      if (printed.includes('Plan a trip')) resolve();
    };
    child.stdout!.on('data', read);
    child.stderr!.on('data', read);
    child.once('exit', (code) => reject(new Error(`The sample ended with ${code}:\n${printed}`)));
  });
  planner = createA2AClient(`http://localhost:${PORT}`);
}, 120_000);

afterAll(async () => {
  await planner?.close();
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
});

describe('the sample of agents that call agents', () => {
  it('passes a question up and its answer down', async () => {
    const asked = await planner.ask('Lisbon');
    if (asked.kind !== 'input-required') throw new Error(`It is ${asked.kind}`);
    expect(asked.text).toBe('How many nights?');
    expect(asked.artifacts.map((artifact) => getText(artifact))).toEqual(['Flight NA 204 to Lisbon']);

    const again = await planner.continueTask(asked.task, 'many');
    expect(again).toMatchObject({ kind: 'input-required', text: 'How many nights?' });

    const planned = await planner.continueTask(asked.task, '3');
    if (planned.kind !== 'completed') throw new Error(`It is ${planned.kind}`);
    expect(planned.task.id).toBe(asked.task.id);
    expect(planned.artifacts.map((artifact) => getText(artifact))).toEqual([
      'Flight NA 204 to Lisbon',
      'A room in Lisbon for 3 nights',
    ]);
  });
});
