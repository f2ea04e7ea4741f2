import { afterAll, describe, expect, it } from 'vitest';
import { createA2AClient, type StreamOptions } from 'nest-a2a/client';

/** Of an agent that is not there: what is refused is refused before anybody is asked. */
const client = createA2AClient('http://127.0.0.1:1', { retry: { attempts: 1 } });
const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'Hi' }] };

/** Ways to call an agent, with options of the call. */
const CALLS: readonly (readonly [string, (options: StreamOptions) => Promise<unknown>])[] = [
  ['card', (options) => client.card(options)],
  ['sendMessage', (options) => client.sendMessage({ message }, options)],
  ['getTask', (options) => client.getTask({ id: 't' }, options)],
  ['stream', (options) => client.stream({ message }, options).next()],
  ['subscribe', (options) => client.subscribe({ id: 't' }, options).next()],
  ['ask', (options) => client.ask('Hi', options)],
  ['waitFor', (options) => client.waitFor('t', options)],
];

afterAll(() => client.close());

describe.each(CALLS)('the options of %s', (_, call) => {
  it.each<[StreamOptions, string]>([
    [{ timeouts: { connectMs: Number('ten') } }, 'timeouts.connectMs is NaN'],
    [{ timeouts: { firstByteMs: 0, totalMs: -1 } }, 'timeouts.totalMs is -1'],
    [{ timeouts: { totalMs: NaN } }, 'timeouts.totalMs is NaN'],
    [{ timeouts: { totalMs: Infinity } }, 'timeouts.totalMs is Infinity, but must be'],
    [{ timeouts: { idleMs: 2 ** 31 } }, 'timeouts.idleMs is 2147483648'],
    [{ retry: { attempts: NaN } }, 'retry.attempts is NaN'],
  ])('are refused where a number is none: %o', async (options, problem) => {
    const calling = call(options);
    await expect(calling).rejects.toThrow(TypeError);
    await expect(calling).rejects.toThrow(problem);
  });
});

describe('the options of calls that stream', () => {
  it.each(CALLS.filter(([name]) => ['stream', 'subscribe', 'ask', 'waitFor'].includes(name)))(
    'are refused where a number of the resumption is none: %s',
    async (_, call) => {
      await expect(call({ resume: { maxAttempts: NaN } })).rejects.toThrow('resume.maxAttempts is NaN');
    },
  );
});
