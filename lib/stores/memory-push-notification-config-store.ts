import { Injectable } from '@nestjs/common';
import type {
  Delivery,
  DeliveryClaim,
  DeliveryState,
  StoredPushNotificationConfig,
} from '../interfaces/push-delivery.js';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';

/** A webhook, how far it was told the story, and who tells it. */
interface Entry {
  config: StoredPushNotificationConfig;
  state: DeliveryState;
  holder: string | undefined;
  heldUntil: number;
  token: number;
}

/** Keeps webhooks and what they have yet to be told in the memory of this process. Every method does its work in one step, so each is atomic. */
@Injectable()
export class MemoryPushNotificationConfigStore extends PushNotificationConfigStore {
  /** By task, in the order of creation. */
  readonly #tasks = new Map<string, Entry[]>();
  /** Deliveries that are open, the oldest first. */
  readonly #open = new Set<Entry>();
  /** Never used twice, also for a config that is deleted and made again: what was held of the first is not of the second. */
  #lastToken = 0;

  override get volatile(): boolean {
    return true;
  }

  /** Webhooks that are kept. */
  get size(): number {
    return Array.from(this.#tasks.values()).reduce((sum, { length }) => sum + length, 0);
  }

  override async set(config: StoredPushNotificationConfig, after?: number): Promise<void> {
    const token = ++this.#lastToken;
    const entries = this.#tasks.get(config.taskId);
    const stored = entries?.find((entry) => entry.config.id === config.id);
    if (!stored) {
      const entry = { config, state: begin(after), holder: undefined, heldUntil: 0, token };
      if (entries) entries.push(entry);
      else this.#tasks.set(config.taskId, [entry]);
      this.#open.add(entry);
      return;
    }
    const status = stored.state.status === 'done' ? 'done' : 'open';
    stored.config = config;
    stored.holder = undefined;
    stored.token = token;
    this.#change(stored, { ...stored.state, status, failures: 0 });
  }

  override async get(taskId: string, id: string): Promise<StoredPushNotificationConfig | undefined> {
    return this.#find(taskId, id)?.config;
  }

  override async list(taskId: string): Promise<readonly StoredPushNotificationConfig[]> {
    return this.#entries(taskId).map(({ config }) => config);
  }

  override async delete(taskId: string, id: string): Promise<void> {
    const entry = this.#find(taskId, id);
    if (!entry) return;
    this.#open.delete(entry);
    const others = this.#entries(taskId).filter((other) => other !== entry);
    if (others.length > 0) this.#tasks.set(taskId, others);
    else this.#tasks.delete(taskId);
  }

  override async deleteAll(...taskIds: readonly string[]): Promise<void> {
    for (const taskId of taskIds) {
      for (const entry of this.#entries(taskId)) this.#open.delete(entry);
      this.#tasks.delete(taskId);
    }
  }

  override async claim({ holder, ttlMs, limit, taskIds }: DeliveryClaim): Promise<readonly Delivery[]> {
    const now = Date.now();
    const claimed: Delivery[] = [];
    for (const entry of taskIds ? this.#entriesOf(taskIds) : this.#open) {
      if (claimed.length >= limit) break;
      const { state, config } = entry;
      if (state.status !== 'open' || (entry.holder !== undefined && entry.heldUntil > now)) continue;
      const token = ++this.#lastToken;
      entry.holder = holder;
      entry.heldUntil = now + ttlMs;
      entry.token = token;
      claimed.push({ ...state, config, holder, token });
    }
    return claimed;
  }

  override async renew(holder: string, ttlMs: number): Promise<void> {
    const heldUntil = Date.now() + ttlMs;
    for (const entry of this.#heldBy(holder)) entry.heldUntil = heldUntil;
  }

  override async note({ config, holder, token }: Delivery, state: DeliveryState): Promise<boolean> {
    const entry = this.#find(config.taskId, config.id);
    if (!entry || entry.holder !== holder || entry.token !== token) return false;
    if (state.status !== 'open') entry.holder = undefined;
    this.#change(entry, state);
    return true;
  }

  override async release(holder: string): Promise<void> {
    for (const entry of this.#heldBy(holder)) entry.holder = undefined;
  }

  override async openAmong(taskIds: readonly string[]): Promise<readonly string[]> {
    return taskIds.filter((taskId) => this.#entries(taskId).some(({ state }) => state.status === 'open'));
  }

  *#entriesOf(taskIds: readonly string[]): Iterable<Entry> {
    for (const taskId of taskIds) yield* this.#entries(taskId);
  }

  #entries(taskId: string): readonly Entry[] {
    return this.#tasks.get(taskId) ?? [];
  }

  #find(taskId: string, id: string): Entry | undefined {
    return this.#entries(taskId).find(({ config }) => config.id === id);
  }

  #heldBy(holder: string): readonly Entry[] {
    return [...this.#open].filter((entry) => entry.holder === holder);
  }

  #change(entry: Entry, { cursor, pending, failures, status }: DeliveryState): void {
    entry.state = {
      ...(cursor !== undefined && { cursor }),
      ...(pending !== undefined && { pending }),
      failures,
      status,
    };
    if (status === 'open') this.#open.add(entry);
    else this.#open.delete(entry);
  }
}

function begin(after: number | undefined): DeliveryState {
  return after === undefined
    ? { failures: 0, status: 'open' }
    : { cursor: after, failures: 0, status: 'open' };
}
