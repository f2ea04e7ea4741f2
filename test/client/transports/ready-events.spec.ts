import type { StreamResponse } from 'nest-a2a';
import {
  createA2AClient,
  HttpPool,
  ProtocolViolationError,
  RestClientTransport,
  type ReceivedEvent,
} from 'nest-a2a/client';
import { afterEach, describe, expect, it } from 'vitest';
import { text } from '../clients.js';
import { cardWith, Peer } from '../peer.js';

const IDS = { taskId: 't', contextId: 'c' };
const STORY: StreamResponse[] = [
  { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } },
  ...['a', 'b', 'c', 'd'].map((content, i) => ({
    artifactUpdate: { ...IDS, artifact: { artifactId: 'x', parts: [{ text: content }] }, append: i > 0 },
  })),
  { statusUpdate: { ...IDS, status: { state: 'TASK_STATE_COMPLETED' } } },
];

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A peer whose stream comes in one piece: these data, numbered from 1. */
async function peerWith(data: readonly string[], stays = false): Promise<Peer> {
  const peer = await Peer.start((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(data.map((each, i) => `id: ${i + 1}\ndata: ${each}\n\n`).join(''));
    if (!stays) response.end();
  });
  closing.push(() => peer.stop());
  return peer;
}

const json = (events: readonly StreamResponse[]): string[] => events.map((event) => JSON.stringify(event));

async function transportStream(peer: Peer) {
  const pool = new HttpPool();
  closing.unshift(() => pool.close());
  const there = { url: peer.base, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' };
  const timeouts = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000, totalMs: 0 };
  return new RestClientTransport(there, pool).stream('SendStreamingMessage', text('hi'), {
    headers: {},
    timeouts,
  });
}

function clientOf(peer: Peer) {
  const client = createA2AClient({ card: cardWith([['HTTP+JSON', peer.base]]) }, { resume: false });
  closing.unshift(() => client.close());
  return client;
}

describe('events that came in one piece', () => {
  it('are there to be taken after the first, each with its number', async () => {
    const events = await transportStream(await peerWith(json(STORY)));
    expect(events.take!()).toBeUndefined();
    const seen: (ReceivedEvent | undefined)[] = [(await events.next()).value];
    for (let i = 1; i < STORY.length; i++) seen.push(events.take!());
    expect(seen).toEqual(STORY.map((event, i) => ({ event, id: String(i + 1) })));
    expect(events.take!()).toBeUndefined();
    expect((await events.next()).done).toBe(true);
  });

  it('go to each reader in its turn, where several read at once', async () => {
    const events = await transportStream(await peerWith(json(STORY)));
    const reads = await Promise.all(Array.from({ length: STORY.length + 2 }, () => events.next()));
    expect(reads.map(({ value }) => (value as ReceivedEvent | undefined)?.event)).toEqual([
      ...STORY,
      undefined,
      undefined,
    ]);
    const whole = clientOf(await peerWith(json(STORY))).stream(text('hi'));
    const more = await Promise.all(Array.from({ length: STORY.length + 2 }, () => whole.next()));
    expect(more.map(({ value }) => value)).toEqual([...STORY, undefined, undefined]);
  });

  it('fail where one of them cannot be read, after those before it', async () => {
    const data = [...json(STORY.slice(0, 3)), '{"task":1}', ...json(STORY.slice(3))];
    const events = await transportStream(await peerWith(data));
    await events.next();
    expect(events.take!()?.id).toBe('2');
    expect(events.take!()?.id).toBe('3');
    expect(events.take!()).toBeUndefined();
    await expect(events.next()).rejects.toBeInstanceOf(ProtocolViolationError);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    const seen: StreamResponse[] = [];
    const reading = (async () => {
      for await (const event of clientOf(await peerWith(data)).stream(text('hi'))) seen.push(event);
    })();
    await expect(reading).rejects.toBeInstanceOf(ProtocolViolationError);
    expect(seen).toEqual(STORY.slice(0, 3));
  });

  it('are told no more once the signal has aborted or the caller has left', async () => {
    const peer = await peerWith(json(STORY), true);
    const controller = new AbortController();
    const reason = new Error('enough');
    const aborted = clientOf(peer).stream(text('hi'), { signal: controller.signal });
    for (let i = 0; i < 3; i++) expect((await aborted.next()).value).toEqual(STORY[i]);
    controller.abort(reason);
    await expect(aborted.next()).rejects.toBe(reason);
    const left = clientOf(peer).stream(text('hi'));
    for (let i = 0; i < 3; i++) expect((await left.next()).value).toEqual(STORY[i]);
    await left.return();
    expect(await left.next()).toEqual({ done: true, value: undefined });
    await expect.poll(() => peer.sockets(), { timeout: 10_000 }).toBe(0);
  });
});
