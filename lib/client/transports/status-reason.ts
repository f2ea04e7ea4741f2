import type { ErrorReason } from '../../protocol/error-table.js';
import type { OperationName } from '../../protocol/operations.js';

const OF_ONE_TASK: readonly OperationName[] = ['GetTask', 'CancelTask', 'SubscribeToTask'];

/**
 * What an error of HTTP+JSON means whose peer gave no reason: by status and by the name beside it, as the texts 1.0.0 and 1.0.1 of the
 * specification have them.
 * @returns undefined where the HTTP status alone tells.
 */
export function reasonOfStatus(
  operation: OperationName,
  status: number,
  name: unknown,
): ErrorReason | undefined {
  if (status === 404 && OF_ONE_TASK.includes(operation)) return 'TASK_NOT_FOUND';
  if (operation === 'CancelTask' && (status === 409 || name === 'FAILED_PRECONDITION'))
    return 'TASK_NOT_CANCELABLE';
  if (status === 502) return 'INVALID_AGENT_RESPONSE';
  if (status === 400 && (name === 'UNIMPLEMENTED' || name === 'FAILED_PRECONDITION'))
    return 'UNSUPPORTED_OPERATION';
  return undefined;
}
