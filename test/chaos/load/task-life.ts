import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from 'nest-a2a';
import type { Script } from '../agent/script.js';
import type { Random } from '../random.js';
import type { Cluster } from '../servers/cluster.js';
import { call, listTasks, type AgentName, type Outcome } from './client.js';
import { firstScript, type Kind } from './first-script.js';
import { Follower } from './follower.js';

/** A message that was sent, and whether the server took it. */
export interface SentMessage {
  readonly messageId: string;
  outcome: 'pending' | 'accepted' | 'refused' | 'unsure';
  /** What was said when it was not accepted. */
  why?: string;
}

/** How long a client looks for a task whose beginning it did not see, in ms. */
const SEARCH_MS = 12_000;
/** How long a client waits for something to happen before it tries again, in ms. */
const STEP_MS = 8_000;

/** One task as its client lives it: it begins it, follows it, talks to it, and notes what it was told. */
export class TaskLife {
  readonly contextId = randomUUID();
  readonly sent: SentMessage[] = [];
  readonly followers: Follower[] = [];
  /** What should not have happened. */
  readonly faults: string[] = [];
  taskId: string | undefined;
  /** A CancelTask was answered with the canceled task. */
  canceled = false;
  /** What a blocking send was answered with. */
  answer: Task | undefined;
  readonly #following: Promise<void>[] = [];

  constructor(
    readonly kind: Kind,
    readonly agent: AgentName,
    private readonly cluster: Cluster,
    private readonly random: Random,
    private readonly patienceMs: number,
  ) {}

  /** Whether the server said that it took the task. */
  get accepted(): boolean {
    return this.sent[0]?.outcome === 'accepted';
  }

  /** Resolves when the task has ended, does not exist, or took too long. */
  async live(): Promise<void> {
    await this.#begin();
    this.taskId ??= await this.#search();
    if (!this.taskId) return;
    const main = this.followers[0] ?? this.#follow(this.taskId);
    const extra = this.random.chance(0.35) ? this.random.between(2, 3) : 0;
    for (let i = 0; i < extra; i++) this.#follow(this.taskId, this.random.between(0, 400));
    await this.#act(main);
    await main.until(() => main.ended, this.patienceMs);
    if (!main.ended && !main.late) this.faults.push(`it had not ended after ${this.patienceMs} ms`);
  }

  /** Resolves when all clients have seen the end. */
  async followed(): Promise<void> {
    await Promise.all(this.#following);
  }

  /** Does what the task waits for, of a task that was found to exist. */
  async settle(task: Task): Promise<void> {
    this.taskId = task.id;
    if (task.status.state === 'TASK_STATE_INPUT_REQUIRED') await this.#say({ do: 'finish' });
    else if (this.kind === 'detach') await this.#complete();
    else if (this.kind === 'cancel') await this.#cancel();
  }

  async #begin(): Promise<void> {
    const script = firstScript(this.kind, this.random);
    const mode = this.random.weighted({
      streaming: 50,
      immediate: 35,
      blocking: this.kind === 'work' ? 15 : 0,
    });
    if (mode === 'streaming') return this.#beginStreaming(script);
    const outcome = await this.#say(script, mode === 'immediate');
    if (outcome.kind !== 'done') return;
    const { task } = outcome.result as { task: Task };
    this.taskId = task.id;
    if (mode !== 'blocking') this.#follow(task.id);
  }

  async #beginStreaming(script: Script): Promise<void> {
    const follower = this.#newFollower();
    const { params, sent } = this.#message(script);
    const stream = follower.send(await this.cluster.web(), params);
    const going = stream.then(async (end) => {
      sent.outcome = follower.taskId ? 'accepted' : end.kind === 'refused' ? 'refused' : 'unsure';
      sent.why = whyNot(end);
      if (follower.taskId) await follower.follow(follower.taskId);
    });
    this.#following.push(going);
    await Promise.race([stream, follower.until(() => follower.taskId !== undefined, this.patienceMs)]);
    this.taskId = follower.taskId;
    if (this.taskId) sent.outcome = 'accepted';
    else {
      await going;
      // It saw nothing: whether there is a task is to be found out.
      this.followers.length = 0;
    }
  }

  async #act(main: Follower): Promise<void> {
    if (this.kind === 'park') await this.#converse(main);
    else if (this.kind === 'cancel') {
      await sleep(this.random.between(0, 800));
      await this.#cancel();
    } else if (this.kind === 'detach') {
      await main.until(() => main.state === 'TASK_STATE_WORKING', STEP_MS);
      await this.#complete();
    }
  }

  /** Rounds of one to three messages at once, over different webs, then the end. */
  async #converse(main: Follower): Promise<void> {
    const rounds = this.random.between(0, 3);
    for (let round = 0; round < rounds && !main.ended; round++) {
      await main.until(() => main.state === 'TASK_STATE_INPUT_REQUIRED', STEP_MS);
      const { statuses } = main;
      const messages = this.random.between(1, 3);
      await Promise.all(Array.from({ length: messages }, () => this.#say({ do: 'park' })));
      await main.until(() => main.statuses > statuses, STEP_MS);
    }
    for (let tries = 0; tries < 10 && !main.ended; tries++) {
      await main.until(() => main.state === 'TASK_STATE_INPUT_REQUIRED', STEP_MS);
      await this.#say({ do: 'finish' });
      await main.until(() => main.ended, STEP_MS);
    }
  }

  async #say(script: Script, returnImmediately = true): Promise<Outcome> {
    const { params, sent } = this.#message(script, returnImmediately);
    const web = await this.cluster.web();
    const { starts } = web;
    const outcome = await call(web, this.agent, 'SendMessage', params);
    // A web that shuts down answers with the task as it is.
    if (!returnImmediately && outcome.kind === 'done' && web.ready && web.starts === starts)
      this.answer = (outcome.result as { task: Task }).task;
    sent.outcome = outcome.kind === 'done' ? 'accepted' : outcome.kind;
    sent.why = whyNot(outcome);
    if (outcome.kind === 'refused') this.#judge('SendMessage', outcome);
    return outcome;
  }

  async #cancel(): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const web = await this.cluster.web();
      const outcome = await call(web, this.agent, 'CancelTask', { id: this.taskId });
      if (outcome.kind === 'done') {
        this.canceled = true;
        const { state } = (outcome.result as Task).status;
        if (state !== 'TASK_STATE_CANCELED') this.faults.push(`CancelTask was answered with ${state}`);
        return;
      }
      if (outcome.kind === 'refused') {
        this.#judge('CancelTask', outcome);
        if (outcome.reason !== 'UNAVAILABLE') return;
      }
      await sleep(100);
    }
  }

  /** Ends a detached task through the task handle of a web. */
  async #complete(): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const web = await this.cluster.web();
      try {
        await web.ask({ what: 'complete', task: this.taskId! });
        return;
      } catch (error) {
        if (String(error).includes('takes no more events')) return;
        if (String(error).includes('Task not found')) this.faults.push(`The task handle: ${String(error)}`);
        await sleep(200);
      }
    }
  }

  #judge(method: string, { reason, message, code }: Extract<Outcome, { kind: 'refused' }>): void {
    const expected = ['UNAVAILABLE', 'UNSUPPORTED_OPERATION', 'TASK_NOT_CANCELABLE'];
    if (!expected.includes(reason)) this.faults.push(`${method} was refused: ${code} ${reason} ${message}`);
  }

  #message(script: Script, returnImmediately?: boolean): { params: unknown; sent: SentMessage } {
    const sent: SentMessage = { messageId: randomUUID(), outcome: 'pending' };
    this.sent.push(sent);
    const { messageId } = sent;
    const { contextId, taskId } = this;
    const parts = [{ text: JSON.stringify(script) }];
    const message = { messageId, role: 'ROLE_USER', contextId, parts, ...(taskId && { taskId }) };
    return {
      sent,
      params: { message, ...(returnImmediately && { configuration: { returnImmediately } }) },
    };
  }

  #newFollower(): Follower {
    const follower = new Follower(this.agent, this.cluster, this.random.fork(), 0.005);
    this.followers.push(follower);
    return follower;
  }

  #follow(taskId: string, afterMs = 0): Follower {
    const follower = this.#newFollower();
    this.#following.push(sleep(afterMs).then(() => follower.follow(taskId)));
    return follower;
  }

  /** A send whose answer was lost may have begun a task. */
  async #search(): Promise<string | undefined> {
    if (this.sent[0]?.outcome === 'refused') return undefined;
    const deadline = Date.now() + SEARCH_MS;
    while (Date.now() < deadline) {
      const { contextId } = this;
      const tasks = await listTasks(await this.cluster.web(), this.agent, { contextId });
      if (tasks?.[0]) return tasks[0].id;
      await sleep(400);
    }
    return undefined;
  }
}

function whyNot(outcome: Outcome): string | undefined {
  if (outcome.kind === 'unsure') return outcome.why;
  return outcome.kind === 'refused' ? `${outcome.reason}: ${outcome.message}` : undefined;
}
