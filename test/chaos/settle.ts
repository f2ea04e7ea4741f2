import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from 'nest-a2a';
import { listTasks, type AgentName } from './load/client.js';
import { isTerminal } from './load/seen-event.js';
import type { TaskLife } from './load/task-life.js';
import type { Cluster } from './servers/cluster.js';

const AGENTS: readonly AgentName[] = ['steady', 'brittle'];

/**
 * Waits until every task that exists has ended, and sees to those whose client had lost them. Answers how many are left when the
 * time (ms) is over.
 */
export async function settle(
  cluster: Cluster,
  lives: readonly TaskLife[],
  patienceMs: number,
): Promise<number> {
  const byContext = new Map<string, TaskLife>(lives.map((life) => [life.contextId, life]));
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const tasks = await allTasks(cluster);
    for (const task of tasks) byContext.get(task.contextId!)!.taskId ??= task.id;
    const live = tasks.filter(({ status }) => !isTerminal(status.state));
    if (live.length === 0 || Date.now() > deadline) return live.length;
    await Promise.all(live.map((task) => byContext.get(task.contextId!)!.settle(task)));
    await sleep(1_000);
  }
}

async function allTasks(cluster: Cluster): Promise<readonly Task[]> {
  const found: Task[] = [];
  for (const agent of AGENTS) {
    const tasks = await listTasks(await cluster.web(), agent);
    if (!tasks) throw new Error(`The tasks of ${agent} cannot be listed`);
    found.push(...tasks);
  }
  return found;
}
