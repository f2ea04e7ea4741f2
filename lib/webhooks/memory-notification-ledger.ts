import { NotificationLedger, type NotificationClaim } from '../interfaces/notification-ledger.js';

/**
 * Remembers notifications in the memory of one process: a restart forgets them, and other replicas know other ones.
 *
 * @publicApi
 */
export class MemoryNotificationLedger extends NotificationLedger {
  /** Until when each is somebody's. */
  readonly #busy = new Map<string, number>();
  /** When each may be forgotten, the oldest first. */
  readonly #done = new Map<string, number>();

  /** @param maxKept beyond which the oldest are forgotten. */
  constructor(private readonly maxKept = 10_000) {
    super();
  }

  /** How many are remembered. */
  get size(): number {
    return this.#done.size;
  }

  override async claim(key: string, claimMs: number): Promise<NotificationClaim> {
    const now = Date.now();
    if ((this.#done.get(key) ?? 0) > now) return 'done';
    if ((this.#busy.get(key) ?? 0) > now) return 'busy';
    this.#busy.set(key, now + claimMs);
    return 'claimed';
  }

  override async complete(key: string, keepMs: number): Promise<void> {
    this.#busy.delete(key);
    this.#done.delete(key);
    this.#done.set(key, Date.now() + keepMs);
    this.#forget();
  }

  override async release(key: string): Promise<void> {
    this.#busy.delete(key);
  }

  #forget(): void {
    const now = Date.now();
    for (const [key, until] of this.#done) {
      if (until > now && this.#done.size <= this.maxKept) return;
      this.#done.delete(key);
    }
  }
}
