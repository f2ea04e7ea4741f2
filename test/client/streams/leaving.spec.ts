import type { Server, Socket } from 'node:net';
import { firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import type { StreamResponse } from 'nest-a2a';
import type { A2AClient } from 'nest-a2a/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStreams, scripted, start, stop, type Running } from '../../e2e/apps.js';
import { CLIENT_BINDINGS, clientOf, text } from '../clients.js';

let running: Running;
let requests = 0;
const sockets = new Set<Socket>();

beforeAll(async () => {
  running = await start('fastify', scripted());
  const server = running.app.getHttpServer() as Server;
  server.on('request', () => (requests += 1));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
});
afterAll(() => stop(running));

/** The server has noticed that everybody left. */
function everybodyLeft(): Promise<void> {
  return vi.waitFor(() => expect(openStreams(running.app)).toBe(0), { timeout: 10_000 });
}

describe.each(CLIENT_BINDINGS)('F04: leaving a stream over %s', (binding) => {
  let client: A2AClient;
  beforeEach(() => {
    client = clientOf(running.base, binding);
    requests = 0;
  });
  afterEach(() => client.close());

  const silence = () => client.stream(text('silent:60'));

  /** A stream in the middle of a silence. */
  async function waiting() {
    const events = silence();
    for (let told = 0; told < 2; told++) expect((await events.next()).done).toBe(false);
    const pending = events.next();
    return { events, pending };
  }

  it('closes its connection at break, 500 times', async () => {
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          // oxlint-disable-next-line no-unreachable-loop -- leaving at once is what is tested
          for await (const event of client.stream(text('hold:500'))) {
            expect(event.task).toBeDefined();
            break;
          }
        }),
      );
      await everybodyLeft();
    }
    await client.close();
    await vi.waitFor(() => expect(sockets.size).toBe(0), { timeout: 10_000 });
  }, 60_000);

  it('does nothing before somebody reads or subscribes', async () => {
    silence();
    client.stream$(text('silent:60'));
    client.subscribe({ id: 'nobody' });
    const unread = silence();
    expect(await unread.return()).toEqual({ done: true, value: undefined });
    expect(await unread.next()).toEqual({ done: true, value: undefined });
    await client.card();
    expect(requests).toBeLessThanOrEqual(1);
  });

  it('ends a read that is pending, at return()', async () => {
    const { events, pending } = await waiting();
    expect(await events.return()).toEqual({ done: true, value: undefined });
    expect(await pending).toEqual({ done: true, value: undefined });
    await everybodyLeft();
  });

  it('ends a read that is pending, at throw(), which throws what it is given', async () => {
    const { events, pending } = await waiting();
    const reason = new Error('enough');
    await expect(events.throw(reason)).rejects.toBe(reason);
    expect(await pending).toEqual({ done: true, value: undefined });
    await everybodyLeft();
  });

  it('ends while it connects', async () => {
    const events = silence();
    const pending = events.next();
    await events.return();
    expect(await pending).toEqual({ done: true, value: undefined });
    await everybodyLeft();
  });

  it('ends with the reason of the signal, also while it waits, and not at all when that has come before', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const events = client.stream(text('silent:60'), { signal: controller.signal });
    await events.next();
    await events.next();
    const pending = events.next();
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await everybodyLeft();
    requests = 0;
    const late = client.stream(text('silent:60'), { signal: controller.signal });
    await expect(late.next()).rejects.toBe(reason);
    expect(requests).toBe(0);
  });

  it('takes its listener from the signal when it ends', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    for await (const _ of client.stream(text('quick'), { signal }));
    expect(added).toHaveBeenCalledTimes(1);
    expect(removed).toHaveBeenCalledTimes(1);
  });

  it('closes its connection when the subscriber unsubscribes', async () => {
    const first = await firstValueFrom(client.stream$(text('silent:60')));
    expect(first.task).toBeDefined();
    await everybodyLeft();
    const subscription = client.subscribe$({ id: first.task!.id }).subscribe();
    await vi.waitFor(() => expect(openStreams(running.app)).toBe(1));
    subscription.unsubscribe();
    await everybodyLeft();
  });

  it('is left by using', async () => {
    {
      await using events = silence();
      await events.next();
    }
    await everybodyLeft();
  });

  it('is an Observable that completes, sends for each subscriber, and fails with what the agent says', async () => {
    const events$ = client.stream$(text('chunks:3'));
    const [one, two] = await Promise.all([lastValueFrom(events$.pipe(toArray())), lastValueFrom(events$)]);
    expect(one).toHaveLength(6);
    expect(two.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
    const ids = new Set([one[0]!.task!.id, two.statusUpdate!.taskId]);
    expect(ids.size).toBe(2);
    await expect(lastValueFrom(client.subscribe$({ id: 'nobody' }))).rejects.toMatchObject({
      reason: 'TASK_NOT_FOUND',
    });
  });

  it('keeps its connection for the next call when the story is over', async () => {
    const connections = new Set<Socket>();
    const remember = (socket: Socket) => connections.add(socket);
    const server = running.app.getHttpServer() as Server;
    server.on('connection', remember);
    for (let i = 0; i < 5; i++) {
      const events: StreamResponse[] = await lastValueFrom(client.stream$(text('quick')).pipe(toArray()));
      expect(events.at(-1)?.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
    }
    server.off('connection', remember);
    expect(connections.size).toBeLessThanOrEqual(2);
  });
});
