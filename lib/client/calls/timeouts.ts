import { defined } from '../../interfaces/defined.js';
import type { OperationName } from '../../protocol/operations.js';
import type { ClientTimeouts, ExchangeTimeouts } from '../client-transport.js';

/** A blocking send takes as long as its task: the head of the answer comes at the end. */
const DEFAULTS: ClientTimeouts = { connectMs: 10_000, firstByteMs: 60_000, idleMs: 120_000, totalMs: 0 };
const BLOCKING_FIRST_BYTE_MS = 600_000;

/** The limits of one call: its own before the client's before the defaults. */
export function timeoutsFor(
  operation: OperationName,
  client?: Partial<ClientTimeouts>,
  call?: Partial<ExchangeTimeouts>,
): ExchangeTimeouts {
  const firstByteMs = operation === 'SendMessage' ? BLOCKING_FIRST_BYTE_MS : DEFAULTS.firstByteMs;
  return { ...DEFAULTS, firstByteMs, ...defined(client), ...defined(call) };
}
