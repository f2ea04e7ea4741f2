import { placeOf, type Delivery } from '../interfaces/push-delivery.js';
import { DeliveryRun, type DeliveryServices } from './delivery-run.js';

/** A delivery of this process; while it waits for its first turn, it is nothing else. */
interface Held {
  readonly delivery: Delivery;
  run?: DeliveryRun;
  dropped?: boolean;
  /** Claimed anew while its run went on: begins when that one is over. */
  next?: Delivery;
}

/** The deliveries that this process holds. */
export class DeliveryRuns {
  readonly #tasks = new Map<string, Held[]>();
  #size = 0;
  #finishing = false;
  #emptied: Promise<void> | undefined;
  #whenEmpty = (): void => {};

  constructor(private readonly services: DeliveryServices) {}

  get size(): number {
    return this.#size;
  }

  /** Goes on with a delivery that was claimed. One of the same config that runs here was taken from its run, and ends first. */
  start(delivery: Delivery): void {
    const { taskId, id } = delivery.config;
    const others = this.#tasks.get(taskId);
    const earlier = others?.find((held) => held.delivery.config.id === id);
    if (!earlier) return this.#wait(delivery, others);
    if (earlier.run) {
      earlier.next = delivery;
      earlier.run.stop();
    } else {
      this.#drop(earlier);
      this.#wait(delivery);
    }
  }

  /** The webhooks of the task have changed. Who waits for a first turn will see it then. */
  wake(taskId: string): void {
    for (const { run } of this.#tasks.get(taskId) ?? []) run?.wake();
  }

  /** Resolves when everything is told that there is to tell, or failed once. */
  finish(): Promise<void> {
    this.#finishing = true;
    for (const { run } of this.#all()) run?.finish();
    return this.#empty();
  }

  /** Resolves when nothing goes on any more. */
  abort(): Promise<void> {
    for (const held of this.#all()) {
      delete held.next;
      if (held.run) held.run.abort();
      else this.#drop(held);
    }
    return this.#empty();
  }

  #wait(delivery: Delivery, others = this.#tasks.get(delivery.config.taskId)): void {
    const { config } = delivery;
    const held: Held = { delivery };
    if (others) others.push(held);
    else this.#tasks.set(config.taskId, [held]);
    this.#size += 1;
    const place = placeOf(config);
    this.services.turns.wait(place, () => this.#begin(held, place));
  }

  /** Resolves when the first step, and with it the turn, is over. */
  async #begin(held: Held, place: string): Promise<void> {
    if (held.dropped) return;
    const run = new DeliveryRun(held.delivery, place, this.services);
    held.run = run;
    if (this.#finishing) run.finish();
    const step = await run.begin();
    void run.work(step).then(() => {
      if (held.next) this.#wait(held.next);
      this.#drop(held);
    });
  }

  #drop(held: Held): void {
    if (held.dropped) return;
    held.dropped = true;
    const { taskId } = held.delivery.config;
    const others = this.#tasks.get(taskId)!.filter((other) => other !== held);
    if (others.length > 0) this.#tasks.set(taskId, others);
    else this.#tasks.delete(taskId);
    this.#size -= 1;
    if (this.#size === 0) this.#whenEmpty();
  }

  #all(): readonly Held[] {
    return [...this.#tasks.values()].flat();
  }

  async #empty(): Promise<void> {
    if (this.#size > 0) await (this.#emptied ??= new Promise((resolve) => (this.#whenEmpty = resolve)));
  }
}
