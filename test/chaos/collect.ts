import type { Task } from 'nest-a2a';
import type { JournalEntry } from './agent/journal.js';
import type { TaskEvidence } from './checks/evidence.js';
import { call, type AgentName } from './load/client.js';
import { Follower } from './load/follower.js';
import type { SeenEvent } from './load/seen-event.js';
import type { TaskLife } from './load/task-life.js';
import { Random } from './random.js';
import type { Cluster } from './servers/cluster.js';
import type { Replica } from './servers/replica.js';

/** Gathers all that is known of the tasks, now that nothing changes any more. One in `everywhere` is read from every web. */
export async function collect(
  cluster: Cluster,
  lives: readonly TaskLife[],
  journal: readonly JournalEntry[],
  everywhere: number,
): Promise<TaskEvidence[]> {
  const notes = new Notes(journal);
  const evidence: TaskEvidence[] = [];
  let next = 0;
  const reader = async (): Promise<void> => {
    for (let i = next++; i < lives.length; i = next++) {
      const life = lives[i]!;
      const turn = i % cluster.webs.length;
      const webs = i % everywhere === 0 ? cluster.webs : [cluster.webs[turn]!];
      evidence[i] = await read(life, webs, notes);
    }
  };
  await Promise.all(Array.from({ length: 16 }, reader));
  return evidence;
}

async function read(life: TaskLife, webs: readonly Replica[], notes: Notes): Promise<TaskEvidence> {
  const { taskId, agent, sent, canceled, answer, faults, followers } = life;
  const logs: (readonly SeenEvent[])[] = [];
  const tasks: Task[] = [];
  for (const web of taskId ? webs : []) {
    logs.push(await replay(web, agent, taskId!));
    const answered = await call<Task>(web, agent, 'GetTask', { id: taskId });
    if (answered.kind === 'done') tasks.push(answered.result);
    else faults.push(`GetTask at the end: ${JSON.stringify(answered)}`);
  }
  const own = notes.of(taskId, sent[0]!.messageId);
  return { taskId, agent, sent, canceled, answer, faults, streams: followers, logs, tasks, notes: own };
}

/** The whole log, as one web replays it. */
async function replay(web: Replica, agent: AgentName, taskId: string): Promise<readonly SeenEvent[]> {
  const follower = new Follower(agent, { web: async () => web }, new Random(0), 0);
  const patience = setTimeout(() => follower.leave(), REPLAY_MS);
  await follower.follow(taskId, 0);
  clearTimeout(patience);
  return follower.events;
}

const REPLAY_MS = 20_000;

/** The journal's notes by task. */
class Notes {
  readonly #byTask = new Map<string, JournalEntry[]>();
  readonly #taskOf = new Map<string, string>();

  constructor(journal: readonly JournalEntry[]) {
    for (const entry of journal) {
      const known = this.#byTask.get(entry.task);
      if (known) known.push(entry);
      else this.#byTask.set(entry.task, [entry]);
      if (entry.note === 'begin') this.#taskOf.set(entry.message, entry.task);
    }
  }

  /** A task whose id no client learned is found by its message, if a run began for it. */
  of(taskId: string | undefined, messageId: string): readonly JournalEntry[] {
    return this.#byTask.get(taskId ?? this.#taskOf.get(messageId) ?? '') ?? [];
  }
}
