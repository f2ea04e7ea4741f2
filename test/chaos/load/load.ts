import type { Random } from '../random.js';
import type { Cluster } from '../servers/cluster.js';
import type { Kind } from './first-script.js';
import { TaskLife } from './task-life.js';

const KINDS: Readonly<Record<Kind, number>> = {
  work: 34,
  stream: 34,
  park: 14,
  cancel: 8,
  detach: 6,
  throw: 4,
};

export interface LoadOptions {
  readonly tasks: number;
  readonly concurrency: number;
  readonly patienceMs: number;
  /** Called before each task with the number of tasks that were accepted or are under way; the task begins when it resolves. */
  readonly pace: (begun: number) => Promise<void>;
}

/** Lives tasks, so many at once, until so many were accepted. Answers all that were begun. */
export async function runLoad(cluster: Cluster, random: Random, options: LoadOptions): Promise<TaskLife[]> {
  const lives: TaskLife[] = [];
  let accepted = 0;
  let underWay = 0;
  const client = async (): Promise<void> => {
    while (accepted + underWay < options.tasks) {
      underWay += 1;
      await options.pace(accepted + underWay);
      const agent = random.chance(0.6) ? 'steady' : 'brittle';
      const life = new TaskLife(random.weighted(KINDS), agent, cluster, random.fork(), options.patienceMs);
      lives.push(life);
      await life.live();
      underWay -= 1;
      if (life.accepted) accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, client));
  return lives;
}
