import { expect, it } from 'vitest';
import { frames, STORY } from '../../support/hostile-events.js';
import { against, SEND } from './against.js';

/** F04: whoever leaves a stream leaves no connection behind. */
against('leaving a stream', (hostile) => {
  /** Streams that are open. */
  let open = 0;

  /** One event, then nothing. */
  const stall = () =>
    hostile.agent.script(async (exchange) => {
      open += 1;
      await exchange.stream();
      await exchange.write(frames(exchange.request, STORY.slice(0, 1)));
      await exchange.left;
      open -= 1;
    });
  const closed = () => expect.poll(() => open).toBe(0);

  it('by break after the first event, 500 times, closes every connection', async () => {
    stall();
    const client = hostile.client();
    const leave = async () => {
      for await (const event of client.sendStreamingMessage(SEND)) {
        expect(event).toEqual(STORY[0]);
        break;
      }
    };
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 50 }, leave));
    expect(hostile.agent.requests).toHaveLength(500);
    await closed();
    // Idle connections of the pool go by themselves, unless the client is closed before.
    await expect.poll(() => hostile.agent.open, { timeout: 10_000 }).toBe(0);
  });

  it('by return() and by throw() closes the connection', async () => {
    stall();
    const client = hostile.client();
    const returned = client.sendStreamingMessage(SEND);
    await returned.next();
    expect(await returned.return?.()).toMatchObject({ done: true });
    expect(await returned.next()).toMatchObject({ done: true });
    const thrown = client.sendStreamingMessage(SEND);
    await thrown.next();
    const reason = new Error('Enough');
    await expect(thrown.throw?.(reason)).rejects.toBe(reason);
    await closed();
  });

  it('by an error in the loop closes the connection', async () => {
    stall();
    const client = hostile.client();
    const failing = async () => {
      for await (const event of client.sendStreamingMessage(SEND))
        throw new Error(`No ${Object.keys(event)[0]}`);
    };
    await expect(failing()).rejects.toThrow('No task');
    await closed();
  });

  it('while the next event is waited for closes the connection', async () => {
    stall();
    const stream = hostile.client().sendStreamingMessage(SEND);
    await stream.next();
    const waiting = stream.next();
    void stream.return?.();
    await closed();
    expect(await waiting).toMatchObject({ done: true });
  });

  it('that was never read sends nothing', async () => {
    stall();
    const stream = hostile.client().sendStreamingMessage(SEND);
    await stream.return?.();
    expect(hostile.agent.requests).toHaveLength(0);
    expect(hostile.agent.open).toBe(0);
  });

  it('by close() of the client ends what is waited for', async () => {
    stall();
    const client = hostile.client();
    const stream = client.sendStreamingMessage(SEND);
    await stream.next();
    const waiting = expect(stream.next()).rejects.toMatchObject({ name: 'ClientClosedError' });
    await client.close();
    await waiting;
    await expect(client.sendMessage(SEND)).rejects.toMatchObject({ name: 'ClientClosedError' });
  });

  it('leaves no listener on a signal that many calls share', async () => {
    hostile.agent.script(async (exchange) => {
      await exchange.stream();
      await exchange.write(frames(exchange.request, STORY));
      exchange.end();
    });
    const client = hostile.client();
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on('warning', warn);
    const { signal } = new AbortController();
    for (let i = 0; i < 30; i++) {
      for await (const event of client.sendStreamingMessage(SEND, { signal })) expect(event).toBeDefined();
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });
});
