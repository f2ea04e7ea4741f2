import type { AgentCard } from 'nest-a2a';
import { A2AClient, createA2AClient, type ClientTimeouts, type StreamOptions } from 'nest-a2a/client';
import { describe, expect, it } from 'vitest';
import { RetryPolicy } from '../../../lib/client/calls/retry-policy.js';
import { timeoutsFor } from '../../../lib/client/calls/timeouts.js';
import { resolveResume } from '../../../lib/client/streams/resume-options.js';
import { UnavailableError } from '../../../lib/protocol/errors.js';
import { ScriptedConnection, taskIn } from '../streams/scripted-connection.js';

/** What projects without `exactOptionalPropertyTypes` may give. */
const unset = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, undefined])) as Record<Name, never>;

describe('an option that is undefined counts as not given', () => {
  it('as a limit of time', () => {
    const client: Partial<ClientTimeouts> = { idleMs: 5, ...unset('connectMs', 'totalMs') };
    const call = unset('connectMs', 'firstByteMs', 'idleMs', 'totalMs');
    expect(timeoutsFor('GetTask', client, call)).toEqual({ ...timeoutsFor('GetTask'), idleMs: 5 });
  });

  it('as a limit of the whole that is waited for', async () => {
    const connection = new ScriptedConnection([{ task: taskIn('TASK_STATE_INPUT_REQUIRED') }]);
    const client = new A2AClient(connection, { timeouts: { totalMs: 50 } });
    const waiting = client.waitFor('t', { until: 'ended', timeouts: unset('totalMs') });
    await expect(waiting).rejects.toThrow('the time for the whole of it is up');
  });

  it('for repetitions', () => {
    const policy = new RetryPolicy({ attempts: 2, ...unset('baseMs', 'maxMs') }, unset('attempts', 'sends'));
    const delay = (tries: number) => policy.delayMs('GetTask', new UnavailableError('Later'), tries);
    expect(delay(1)).toBeGreaterThan(0);
    expect(delay(2)).toBeUndefined();
  });

  it('for the repetitions of a stream', async () => {
    const connection = new ScriptedConnection([{ task: taskIn('TASK_STATE_COMPLETED') }]);
    const client = new A2AClient(connection, { retry: { attempts: 5, sends: true } });
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'Hi' }] };
    const options: StreamOptions = { retry: unset('attempts', 'sends') };
    await client.stream({ message }, options).next();
    expect(connection.asked[0]!.options.retry).toEqual({ attempts: 5, sends: true });
  });

  it('for resumptions', () => {
    const call = unset('initialDelayMs', 'maxAttempts', 'maxPollMs');
    expect(resolveResume(call, { maxAttempts: 4, ...unset('maxDelayMs') })).toEqual({
      ...resolveResume(true, true),
      maxAttempts: 4,
    });
  });

  it('as the policy for signatures, so that a card without one is taken', async () => {
    const card = { name: 'Billing' } as AgentCard;
    const client = createA2AClient({ card }, { signatures: unset('policy') });
    await expect(client.card()).resolves.toMatchObject(card);
    await client.close();
  });
});
