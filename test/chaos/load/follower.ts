import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskState } from 'nest-a2a';
import type { Random } from '../random.js';
import type { Cluster } from '../servers/cluster.js';
import type { Replica } from '../servers/replica.js';
import type { AgentName } from './client.js';
import { readStream, type StreamCall, type StreamEnd } from './event-stream.js';
import { isTerminal, parseEvent, stateOf, type SeenEvent } from './seen-event.js';

/**
 * A client that follows one task to its end, over as many connections as it takes: when its server dies, or when it feels like it, it goes on
 * at another with Last-Event-ID.
 */
export class Follower {
  readonly events: SeenEvent[] = [];
  /** Whether the first event is a snapshot, or the first event of the log. */
  opensWithSnapshot = false;
  connections = 0;
  /** What should not have happened. */
  readonly faults: string[] = [];
  /** The task had ended before this client came. */
  late = false;
  taskId: string | undefined;
  state: TaskState | undefined;
  /** Status events that were seen. */
  statuses = 0;
  readonly #leaving = new AbortController();
  #wake: (() => void)[] = [];

  constructor(
    readonly agent: AgentName,
    private readonly cluster: Pick<Cluster, 'web'>,
    private readonly random: Random,
    private readonly restless: number,
  ) {}

  get ended(): boolean {
    return isTerminal(this.state);
  }

  /** Begins a task, or sends to one, by a streaming call, and reads what that one connection brings. */
  send(web: Replica, params: unknown): Promise<StreamEnd> {
    return this.#read(web, { method: 'SendStreamingMessage', params });
  }

  /**
   * Follows a task that is known until it ends, or leave() is called: on from the last event that was seen, or from the number `from`, or
   * from a snapshot.
   */
  async follow(taskId: string, from?: number): Promise<void> {
    this.taskId = taskId;
    let web: Replica | undefined;
    while (!this.ended && !this.#leaving.signal.aborted) {
      web = await this.cluster.web(web);
      const last = this.events.at(-1)?.id ?? from;
      if (last === undefined) this.opensWithSnapshot = true;
      const params = { id: taskId };
      const end = await this.#read(web, { method: 'SubscribeToTask', params, lastEventId: last });
      if (end.kind === 'refused' && this.#isFinal(end)) break;
      if (!this.ended && end.kind !== 'done') await sleep(this.random.between(5, 60));
    }
    this.#changed();
  }

  /** Gives up: the run is over. */
  leave(): void {
    this.#leaving.abort();
    this.#changed();
  }

  /** Resolves when the condition holds, the task has ended, or the time (ms) is over; whether it holds. */
  async until(condition: () => boolean, patienceMs: number): Promise<boolean> {
    const deadline = Date.now() + patienceMs;
    while (!condition()) {
      const left = deadline - Date.now();
      if (left <= 0 || this.ended || this.#leaving.signal.aborted || this.late) return condition();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return true;
  }

  #read(web: Replica, call: Pick<StreamCall, 'method' | 'params' | 'lastEventId'>): Promise<StreamEnd> {
    this.connections += 1;
    const { agent } = this;
    const { signal } = this.#leaving;
    return readStream(web, { ...call, agent, signal }, (event) => this.#see(event));
  }

  /** Whether the refusal says that the task has ended. */
  #isFinal(end: Extract<StreamEnd, { kind: 'refused' }>): boolean {
    if (end.reason === 'UNSUPPORTED_OPERATION') {
      if (this.events.length > 0)
        this.faults.push(`was told that nothing follows after ${this.events.at(-1)!.id}`);
      this.late = true;
      return true;
    }
    if (end.reason === 'UNAVAILABLE') return false;
    this.faults.push(`could not subscribe: ${end.code} ${end.message}`);
    return end.reason === 'TASK_NOT_FOUND';
  }

  #see(event: SeenEvent): boolean {
    this.events.push(event);
    const parsed = parseEvent(event);
    const state = stateOf(parsed);
    this.taskId ??= parsed.task?.id ?? parsed.statusUpdate?.taskId;
    if (state) {
      this.state = state;
      this.statuses += 1;
    }
    this.#changed();
    return this.ended || !this.random.chance(this.restless);
  }

  #changed(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}
