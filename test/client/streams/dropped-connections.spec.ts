import { UnsupportedOperationError, type StreamResponse } from 'nest-a2a';
import type { A2AClient, A2AClientOptions, ClientInterceptor } from 'nest-a2a/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { scripted, start, stop, type Running } from '../../e2e/apps.js';
import { DroppingProxy, type DroppingProxyOptions } from '../../support/dropping-proxy.js';
import { CLIENT_BINDINGS, clientOf, text } from '../clients.js';

const CHUNKS = 4;
const TOLD = Array.from({ length: CHUNKS }, (_, i) => `c${i}`);

/** Whoever subscribes is told that it is not supported. */
const NO_SUBSCRIBING: ClientInterceptor = {
  before({ operation }) {
    if (operation === 'SubscribeToTask') throw new UnsupportedOperationError();
  },
};

let running: Running;
let proxy: DroppingProxy | undefined;
let client: A2AClient | undefined;

beforeAll(async () => {
  // A connection that is reset may lose even its first event: then the same message is sent again.
  running = await start('fastify', scripted({ idempotency: { windowMs: 600_000 } }));
});
afterAll(() => stop(running));
afterEach(async () => {
  await client?.close();
  await proxy?.close();
});

async function through(options: Omit<DroppingProxyOptions, 'target'>): Promise<DroppingProxy> {
  proxy = await DroppingProxy.start({ target: running.base, ...options });
  return proxy;
}

/** Reads as many streams as asked for, all at once. */
async function readAll(count: number): Promise<StreamResponse[][]> {
  const read = async (): Promise<StreamResponse[]> => {
    const events: StreamResponse[] = [];
    for await (const event of client!.stream(text(`slow:${CHUNKS}`))) events.push(event);
    return events;
  };
  return Promise.all(Array.from({ length: count }, read));
}

function checkStory(events: readonly StreamResponse[]): void {
  const parts = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts ?? []);
  expect(parts.map((part) => part.text)).toEqual(TOLD);
  expect(events.filter(({ task }) => task)).toHaveLength(1);
  expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
}

const OPTIONS: A2AClientOptions = { retry: { sends: true } };

describe.each(CLIENT_BINDINGS)('every connection is dropped after 1 to 3 events, over %s', (binding) => {
  const count = binding === 'JSONRPC' ? 500 : 100;

  it(`${count} streams tell each chunk once, where events are numbered`, async () => {
    const { base } = await through({ seed: 1 });
    client = clientOf(base, binding, OPTIONS);
    const streams = await readAll(count);
    streams.forEach(checkStory);
    // 1 Task, WORKING, the chunks and COMPLETED take three connections at least.
    expect(proxy!.drops).toBeGreaterThan(count * 2);
  }, 120_000);

  it('50 streams tell each chunk once, where events have no numbers', async () => {
    const { base } = await through({ seed: 2, stripIds: true });
    client = clientOf(base, binding, OPTIONS);
    (await readAll(50)).forEach(checkStory);
  });

  it('50 streams tell each chunk once, where nobody can subscribe', async () => {
    const { base } = await through({ seed: 3 });
    client = clientOf(base, binding, { ...OPTIONS, interceptors: [NO_SUBSCRIBING] });
    (await readAll(50)).forEach(checkStory);
  });
});
