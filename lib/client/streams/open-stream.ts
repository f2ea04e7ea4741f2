import { defined } from '../../interfaces/defined.js';
import type { AgentConnection } from '../agent-connection.js';
import { checkClientOptions } from '../check-client-options.js';
import type { ClientDefaults } from '../client-options.js';
import { EventIterator } from './event-iterator.js';
import { resolveResume } from './resume-options.js';
import { SeenTask } from './seen-task.js';
import { StreamExchanges } from './stream-exchanges.js';
import type { StreamOptions, StreamStart } from './stream-options.js';
import { SurvivingStream } from './surviving-stream.js';

/**
 * The events of a send or a subscription, resumed as often as it takes. Begins when the first is asked for.
 * @param defaults the client's.
 */
export function openStream(
  connection: AgentConnection,
  start: StreamStart,
  options: StreamOptions = {},
  defaults: ClientDefaults = {},
): EventIterator {
  const { resume, signal, ...call } = options;
  const { send, subscribe } = start;
  const totalMs = options.timeouts?.totalMs ?? defaults.timeouts?.totalMs;
  const timeouts = totalMs === undefined ? {} : { timeouts: { ...options.timeouts, totalMs } };
  const retry = { ...defaults.retry, ...defined(options.retry) };
  return new EventIterator((leaving) => {
    checkClientOptions(options);
    const exchanges = new StreamExchanges(connection, start, {
      ...call,
      ...timeouts,
      retry,
      signal: leaving.signal,
    });
    const seen = new SeenTask({
      ...(subscribe && { taskId: subscribe.id }),
      ...(send && { sent: send.message }),
      wholeHistory: send?.configuration?.historyLength === undefined,
    });
    return new SurvivingStream(exchanges, seen, resolveResume(resume, defaults.resume), leaving);
  }, signal);
}
