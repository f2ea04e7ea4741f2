import { createHash } from 'node:crypto';
import type { SendMessageRequest } from '../protocol/model.js';
import type { TaskScope } from '../interfaces/task-store.js';

/** What tells one payload from another: all of it but how its answer is wanted. Members may be in any order. */
export function digestOf({ message, metadata, configuration }: SendMessageRequest): string {
  const { returnImmediately: _, historyLength: __, ...rest } = configuration ?? {};
  return hash({ message, metadata, configuration: rest });
}

/** The name of a claim: that of a caller's message, or of what stands behind another claim. */
export function claimKey({ agent, tenant, owner }: TaskScope, messageId: string, behind?: string): string {
  return hash([agent, tenant, owner, messageId, behind]);
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortMembers)).digest('hex');
}

function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
