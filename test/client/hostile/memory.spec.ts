import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardAt, type Exchange, HostileAgent, type Reply } from '../../support/hostile-agent.js';
import { watchChild } from '../../support/secrets/watch-child.js';

const MEBIBYTE = 1_048_576;
/** What the peer has to say, if one lets it. */
const TOTAL = 200 * MEBIBYTE;

interface Probe {
  /** Name of what the call threw. */
  readonly error: string;
  /** By how much the process grew at most (RSS). */
  readonly grownKib: number;
}

/** What a peer can send is more than what a client will keep: limits of 10 MiB, and some garbage. */
describe('the memory of a client', () => {
  let agent: HostileAgent;
  let sent = 0;

  beforeAll(async () => {
    agent = await HostileAgent.start();
  });
  afterAll(() => agent.close());

  async function probe(kind: 'call' | 'stream' | 'card', reply: Reply): Promise<Probe> {
    sent = 0;
    agent.script(reply);
    agent.card = (exchange) =>
      exchange.request.path.startsWith('/large') ? reply(exchange) : exchange.json(cardAt(agent.base));
    const child = fork(fileURLToPath(new URL('memory-probe.js', import.meta.url)), [agent.base, kind], {
      execArgv: [],
      silent: true,
    });
    watchChild(child);
    const exited = once(child, 'exit').then(([code]): never => {
      throw new Error(`The probe ended with ${code}`);
    });
    const [result] = await Promise.race([once(child, 'message'), exited]);
    await exited.catch(() => undefined);
    return result as Probe;
  }

  const pour = async (exchange: Exchange, bytes: string): Promise<void> => {
    while (sent < TOTAL && (await exchange.write(bytes))) sent += bytes.length;
    exchange.end();
  };
  const bounded = ({ error, grownKib }: Probe, name: string): void => {
    expect(error).toBe(name);
    expect(sent).toBeLessThan(TOTAL / 4);
    expect(grownKib / 1_024).toBeLessThan(90);
  };

  it('bears a line of 200 MiB in a stream', async () => {
    const result = await probe('stream', async (exchange) => {
      await exchange.stream();
      await exchange.write('data: ');
      await pour(exchange, 'x'.repeat(64 * 1_024));
    });
    bounded(result, 'ProtocolViolationError');
  });

  it('bears an event of 200 MiB in many lines', async () => {
    const result = await probe('stream', async (exchange) => {
      await exchange.stream();
      await pour(exchange, `data: ${'x'.repeat(1_000)}\n`.repeat(64));
    });
    bounded(result, 'ProtocolViolationError');
  });

  it.each([true, false])('bears an answer of 200 MiB, announced: %s', async (announced) => {
    const result = await probe('call', async (exchange) => {
      const length: Record<string, string> = announced ? { 'content-length': String(TOTAL) } : {};
      await exchange.head(200, { 'content-type': 'application/json', connection: 'close', ...length });
      await pour(exchange, '['.repeat(64 * 1_024));
    });
    bounded(result, 'ProtocolViolationError');
  });

  it('bears a page of 200 MiB with an error', async () => {
    const result = await probe('call', async (exchange) => {
      await exchange.head(502, { 'content-type': 'text/html', connection: 'close' });
      await pour(exchange, 'x'.repeat(64 * 1_024));
    });
    bounded(result, 'UnexpectedAnswerError');
  });

  it('bears a card of 200 MiB', async () => {
    const result = await probe('card', async (exchange) => {
      await exchange.head(200, { 'content-type': 'application/json', connection: 'close' });
      await pour(exchange, '{"name":"'.padEnd(64 * 1_024, 'x'));
    });
    bounded(result, 'ProtocolViolationError');
  });

  it('bears 200 MiB packed into 200 KiB', async () => {
    const bomb = gzipSync(Buffer.alloc(TOTAL));
    const result = await probe('call', (exchange) =>
      exchange.answer(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }, bomb),
    );
    bounded(result, 'ProtocolViolationError');
  });
});
