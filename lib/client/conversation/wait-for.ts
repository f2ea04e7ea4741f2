import type { AgentConnection } from '../agent-connection.js';
import { ProtocolViolationError } from '../client-errors.js';
import type { ClientDefaults } from '../client-options.js';
import { Backoff } from '../streams/backoff.js';
import { openStream } from '../streams/open-stream.js';
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
  for (;;) {
    const events = openStream(connection, { subscribe: { id: taskId }, orPoll: true }, call, defaults);
    const result = await readOutcome(events, { skipPauses });
    if (result.kind === 'message') throw new ProtocolViolationError('The peer told a Message of a task');
    const waits = result.kind === 'input-required' || result.kind === 'auth-required';
    if (!skipPauses || !waits) return result;
    await pauses.wait(call.signal);
  }
}
