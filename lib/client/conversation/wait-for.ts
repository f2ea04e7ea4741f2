import { defined } from '../../interfaces/defined.js';
import type { AgentConnection } from '../agent-connection.js';
import { ProtocolViolationError } from '../client-errors.js';
import type { ClientDefaults } from '../client-options.js';
import { Backoff } from '../streams/backoff.js';
import { openStream } from '../streams/open-stream.js';
import { StreamInterruptedError } from '../streams/stream-interrupted-error.js';
import type { StreamOptions } from '../streams/stream-options.js';
import type { TaskResult } from './ask-result.js';
import { readOutcome } from './read-outcome.js';

/** What is waited for. */
export interface WaitOptions extends StreamOptions {
  /**
   * `settled` (the default): until the task has ended or waits for somebody, as it may do already. `ended`: through all pauses, as while the user signs
   * in somewhere else.
   */
  readonly until?: 'settled' | 'ended';
}

/** Waits for a task by subscribing to it, or by looking at it again and again where that is not possible. */
export async function waitFor(
  connection: AgentConnection,
  taskId: string,
  { until = 'settled', ...call }: WaitOptions,
  defaults: ClientDefaults,
): Promise<TaskResult> {
  const skipPauses = until === 'ended';
  const pauses = new Backoff(200, 15_000);
  const { totalMs = 0 } = { ...defaults.timeouts, ...defined(call.timeouts) };
  const deadline = totalMs > 0 ? performance.now() + totalMs : Infinity;
  for (;;) {
    const left = deadline - performance.now();
    const limits = left === Infinity ? {} : { timeouts: { ...call.timeouts, totalMs: Math.max(1, left) } };
    const start = { subscribe: { id: taskId }, orPoll: true };
    const events = openStream(connection, start, { ...call, ...limits }, defaults);
    const result = await readOutcome(events, { skipPauses });
    if (result.kind === 'message') throw new ProtocolViolationError('The peer told a Message of a task');
    const waits = result.kind === 'input-required' || result.kind === 'auth-required';
    if (!skipPauses || !waits) return result;
    await pauses.wait(call.signal, 0, deadline - performance.now());
    if (performance.now() >= deadline) {
      const { state } = result.task.status;
      throw new StreamInterruptedError({ taskId, lastState: state }, 'the time for the whole of it is up');
    }
  }
}
