import { Injectable } from '@nestjs/common';
import {
  placeOf,
  type Delivery,
  type DeliveryClaim,
  type DeliveryState,
  type StoredPushNotificationConfig,
} from '../interfaces/push-delivery.js';
import { PushNotificationConfigStore } from '../interfaces/push-notification-config-store.js';
import { OpenDeliveries, type OpenDelivery } from './open-deliveries.js';

/** A webhook, how far it was told the story, and who tells it. */
interface Entry extends OpenDelivery {
  config: StoredPushNotificationConfig;
  state: DeliveryState;
  token: number;
}

/** Keeps webhooks and what they have yet to be told in the memory of this process. Every method does its work in one step, so each is atomic. */
@Injectable()
export class MemoryPushNotificationConfigStore extends PushNotificationConfigStore {
  /** By task, in the order of creation. */
  readonly #tasks = new Map<string, Entry[]>();
  readonly #open = new OpenDeliveries<Entry>();
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
    const entries = this.#tasks.get(config.taskId);
    const stored = entries?.find((entry) => entry.config.id === config.id);
    if (stored) return this.#replace(stored, config);
    const token = ++this.#lastToken;
    const place = placeOf(config);
    const entry = { config, state: begin(after), place, holder: undefined, heldUntil: 0, token };
    if (entries) entries.push(entry);
    else this.#tasks.set(config.taskId, [entry]);
    this.#open.add(entry);
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

  override async claim(claim: DeliveryClaim): Promise<readonly Delivery[]> {
    const { holder, ttlMs, taskIds, exceptTo } = claim;
    const now = Date.now();
    const entries = taskIds ? this.#openOf(taskIds) : this.#open.free(now, exceptTo);
    const claimed: Delivery[] = [];
    for (const entry of some(entries, claim, now)) {
      this.#open.hold(entry, holder, now + ttlMs);
      const token = (entry.token = ++this.#lastToken);
      claimed.push({ ...entry.state, config: entry.config, holder, token });
    }
    return claimed;
  }

  override async renew(holder: string, ttlMs: number): Promise<void> {
    const heldUntil = Date.now() + ttlMs;
    for (const entry of this.#open.heldBy(holder)) entry.heldUntil = heldUntil;
  }

  override async note({ config, holder, token }: Delivery, state: DeliveryState): Promise<boolean> {
    const entry = this.#find(config.taskId, config.id);
    if (!entry || entry.holder !== holder || entry.token !== token) return false;
    entry.state = copy(state);
    if (state.status !== 'open') this.#open.delete(entry);
    return true;
  }

  override async release(holder: string): Promise<void> {
    for (const entry of this.#open.heldBy(holder)) this.#open.add(entry);
  }

  override async openAmong(taskIds: readonly string[]): Promise<readonly string[]> {
    return taskIds.filter((taskId) => this.#entries(taskId).some(isOpen));
  }

  /** The story goes on where it is, under a new token: whoever held it learns so. */
  #replace(entry: Entry, config: StoredPushNotificationConfig): void {
    this.#open.delete(entry);
    const status = entry.state.status === 'done' ? 'done' : 'open';
    entry.config = config;
    entry.place = placeOf(config);
    entry.state = copy({ ...entry.state, status, failures: 0 });
    entry.token = ++this.#lastToken;
    if (isOpen(entry)) this.#open.add(entry);
  }

  *#openOf(taskIds: readonly string[]): Iterable<Entry> {
    for (const taskId of taskIds) for (const entry of this.#entries(taskId)) if (isOpen(entry)) yield entry;
  }

  #entries(taskId: string): readonly Entry[] {
    return this.#tasks.get(taskId) ?? [];
  }

  #find(taskId: string, id: string): Entry | undefined {
    return this.#entries(taskId).find(({ config }) => config.id === id);
  }
}

function isOpen({ state }: Entry): boolean {
  return state.status === 'open';
}

/** Those that are free and wanted, as many as are wanted. */
function* some(entries: Iterable<Entry>, { limit, exceptTo }: DeliveryClaim, now: number): Iterable<Entry> {
  let count = 0;
  for (const entry of entries) {
    if (count >= limit) return;
    if (exceptTo?.has(entry.place)) continue;
    if (entry.holder !== undefined && entry.heldUntil > now) continue;
    count += 1;
    yield entry;
  }
}

/** Shared, as very many may wait. */
const BEFORE_TASK: DeliveryState = Object.freeze({ failures: 0, status: 'open' });
const BEFORE_LOG: DeliveryState = Object.freeze({ cursor: 0, failures: 0, status: 'open' });

function begin(after: number | undefined): DeliveryState {
  if (after === undefined) return BEFORE_TASK;
  return after === 0 ? BEFORE_LOG : { cursor: after, failures: 0, status: 'open' };
}

function copy({ cursor, pending, failures, status }: DeliveryState): DeliveryState {
  return {
    ...(cursor !== undefined && { cursor }),
    ...(pending !== undefined && { pending }),
    failures,
    status,
  };
}
