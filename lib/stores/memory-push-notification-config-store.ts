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
  /** By task and id, each in the order of creation. */
  readonly #tasks = new Map<string, Map<string, Entry>>();
  /** Deliveries that are open, the oldest first. */
  readonly #open = new Set<Entry>();
  /** Never used twice, also for a config that is deleted and made again: what was held of the first is not of the second. */
  #lastToken = 0;

  override get volatile(): boolean {
    return true;
  }

  /** Webhooks that are kept. */
  get size(): number {
    return Array.from(this.#tasks.values()).reduce((sum, { size }) => sum + size, 0);
  }

  override async set(config: StoredPushNotificationConfig, after?: number): Promise<void> {
    const { taskId, id } = config;
    const entries = this.#tasks.get(taskId) ?? new Map<string, Entry>();
    this.#tasks.set(taskId, entries);
    const token = ++this.#lastToken;
    const stored = entries.get(id);
    if (stored) {
      const status = stored.state.status === 'done' ? 'done' : 'open';
      Object.assign(stored, { config, holder: undefined, token });
      this.#change(stored, { ...stored.state, status, failures: 0 });
    } else {
      const state: DeliveryState = {
        ...(after !== undefined && { cursor: after }),
        failures: 0,
        status: 'open',
      };
      const entry: Entry = { config, state, holder: undefined, heldUntil: 0, token };
      entries.set(id, entry);
      this.#open.add(entry);
    }
  }

  override async get(taskId: string, id: string): Promise<StoredPushNotificationConfig | undefined> {
    return this.#tasks.get(taskId)?.get(id)?.config;
  }

  override async list(taskId: string): Promise<readonly StoredPushNotificationConfig[]> {
    return this.#entries(taskId).map(({ config }) => config);
  }

  override async delete(taskId: string, id: string): Promise<void> {
    const entries = this.#tasks.get(taskId);
    const entry = entries?.get(id);
    if (!entries || !entry) return;
    this.#open.delete(entry);
    entries.delete(id);
    if (entries.size === 0) this.#tasks.delete(taskId);
  }

  override async deleteAll(taskId: string): Promise<void> {
    for (const entry of this.#entries(taskId)) this.#open.delete(entry);
    this.#tasks.delete(taskId);
  }

  override async claim({ holder, ttlMs, limit, taskId }: DeliveryClaim): Promise<readonly Delivery[]> {
    const now = Date.now();
    const claimed: Delivery[] = [];
    for (const entry of taskId === undefined ? this.#open : this.#entries(taskId)) {
      if (claimed.length >= limit) break;
      const { state, config } = entry;
      if (state.status !== 'open' || (entry.holder !== undefined && entry.heldUntil > now)) continue;
      const token = ++this.#lastToken;
      Object.assign(entry, { holder, heldUntil: now + ttlMs, token });
      claimed.push({ ...state, config, holder, token });
    }
    return claimed;
  }

  override async renew(holder: string, ttlMs: number): Promise<void> {
    const heldUntil = Date.now() + ttlMs;
    for (const entry of this.#heldBy(holder)) entry.heldUntil = heldUntil;
  }

  override async note({ config, holder, token }: Delivery, state: DeliveryState): Promise<boolean> {
    const entry = this.#tasks.get(config.taskId)?.get(config.id);
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

  #entries(taskId: string): readonly Entry[] {
    return [...(this.#tasks.get(taskId)?.values() ?? [])];
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
