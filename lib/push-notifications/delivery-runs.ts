import type { Delivery } from '../interfaces/push-delivery.js';
import { DeliveryRun, type DeliveryServices } from './delivery-run.js';

/** A run, and when it is over. */
interface Started {
  readonly run: DeliveryRun;
  readonly over: Promise<void>;
}

/** The deliveries that this process holds. */
export class DeliveryRuns {
  /** By task and config. */
  readonly #tasks = new Map<string, Map<string, Started>>();
  /** Those that are over only when what came before them is, too. */
  readonly #all = new Set<Started>();

  constructor(private readonly services: DeliveryServices) {}

  get size(): number {
    return this.#all.size;
  }

  /** Goes on with a delivery that was claimed. One of the same config that runs here was taken from its run, and ends first. */
  start(delivery: Delivery): void {
    const { taskId, id } = delivery.config;
    const configs = this.#tasks.get(taskId) ?? new Map<string, Started>();
    this.#tasks.set(taskId, configs);
    const earlier = configs.get(id);
    earlier?.run.stop();
    const run = new DeliveryRun(delivery, this.services);
    const over = (earlier ? earlier.over.then(() => run.work()) : run.work()).finally(() => {
      this.#all.delete(started);
      if (configs.get(id) !== started) return;
      configs.delete(id);
      if (configs.size === 0) this.#tasks.delete(taskId);
    });
    const started: Started = { run, over };
    configs.set(id, started);
    this.#all.add(started);
  }

  /** The webhooks of the task have changed. */
  wake(taskId: string): void {
    for (const { run } of this.#tasks.get(taskId)?.values() ?? []) run.wake();
  }

  /** Resolves when everything is told that there is to tell, or failed once. */
  async finish(): Promise<void> {
    for (const { run } of this.#all) run.finish();
    await this.#settled();
  }

  /** Resolves when nothing goes on any more. */
  async abort(): Promise<void> {
    for (const { run } of this.#all) run.abort();
    await this.#settled();
  }

  async #settled(): Promise<void> {
    await Promise.all([...this.#all].map(({ over }) => over));
  }
}
