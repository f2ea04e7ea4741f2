import { LeaseLostError, type Lease, type LeaseRequest, type QueueManager } from 'nest-a2a';
import { now } from '../clock.js';
import type { Journal } from './journal.js';

/** Leases by task as this process took them last. */
export type HeldTokens = ReadonlyMap<string, { readonly token: number; readonly attempt: number }>;

/**
 * Has the journal note what this process is told by its logs about leases and events, and answers under which token the run of a
 * task was begun last. The methods of the instance are wrapped, so that every implementation of the port is watched alike.
 */
export function journalLeases(queue: QueueManager, journal: Journal): HeldTokens {
  const tokens = new Map<string, { token: number; attempt: number }>();
  const { create, acquire, restore, renew, release, append, take } = bound(queue);

  const leased = (
    lease: Lease | undefined,
    sent: number,
    { ttlMs }: LeaseRequest,
    takeOver = false,
  ): Lease | undefined => {
    if (lease)
      journal.write({ note: 'lease', task: lease.taskId, token: lease.token, sent, ttlMs, takeOver });
    return lease;
  };

  queue.create = async (taskId, origin, command, request) => {
    const sent = now();
    const lease = await create(taskId, origin, command, request);
    return request && leased(lease, sent, request);
  };
  queue.acquire = async (taskId, request, takeOver) => {
    const sent = now();
    return leased(await acquire(taskId, request, takeOver), sent, request, takeOver);
  };
  queue.restore = async (taskId, origin, floor, request) => {
    const sent = now();
    return leased(await restore(taskId, origin, floor, request), sent, request);
  };
  queue.renew = async (lease, ttlMs) => {
    const sent = now();
    const kept = await renew(lease, ttlMs);
    if (kept) journal.write({ note: 'renewed', task: lease.taskId, token: lease.token, sent, ttlMs });
    return kept;
  };
  queue.release = async (lease, runState, seen) => {
    const { taskId: task, token } = lease;
    // A process that is killed may have given it back without being told.
    journal.write({ note: 'releasing', task, token });
    const released = await release(lease, runState, seen);
    if (!released) journal.write({ note: 'kept', task, token });
    return released;
  };
  queue.append = async (lease, events, options) => {
    try {
      const last = await append(lease, events, options);
      const { taskId: task, token } = lease;
      journal.write({ note: 'logged', task, token, last, count: events.length });
      return last;
    } catch (error) {
      if (error instanceof LeaseLostError)
        journal.write({ note: 'refused', task: lease.taskId, token: lease.token });
      throw error;
    }
  };
  queue.take = async (lease, sequence) => {
    const attempt = await take(lease, sequence);
    tokens.set(lease.taskId, { token: lease.token, attempt });
    return attempt;
  };
  return tokens;
}

function bound(queue: QueueManager): Pick<QueueManager, Wrapped> {
  return {
    create: queue.create.bind(queue),
    acquire: queue.acquire.bind(queue),
    restore: queue.restore.bind(queue),
    renew: queue.renew.bind(queue),
    release: queue.release.bind(queue),
    append: queue.append.bind(queue),
    take: queue.take.bind(queue),
  };
}

type Wrapped = 'create' | 'acquire' | 'restore' | 'renew' | 'release' | 'append' | 'take';
