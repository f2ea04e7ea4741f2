import type { BackingKind } from '../../support/backing.js';
import type { FixtureProcess, Processes } from '../../support/processes.js';

/** Who serves, and who runs: the same process, or one behind it. */
export interface Crew {
  /** The process that accepts the tasks. */
  readonly front: FixtureProcess;
  /** The process that runs them, which the test ends. */
  readonly runner: FixtureProcess;
  /** Serves as well, and is left alone. */
  readonly other: FixtureProcess;
}

/** Starts who runs what is accepted at once; `relieve()` brings who takes over, when the test knows what is running where. */
export async function startCrew(
  processes: Processes,
  { RUNNER }: BackingKind,
  env: NodeJS.ProcessEnv = {},
): Promise<Crew> {
  if (RUNNER === 'bullmq') {
    const [front, other, runner] = await Promise.all([
      processes.start({ ...env, ROLE: 'web' }),
      processes.start({ ...env, ROLE: 'web' }),
      processes.start({ ...env, ROLE: 'worker' }),
    ]);
    return { front, runner, other };
  }
  const [front, other] = await Promise.all([processes.start(env), processes.start(env)]);
  return { front, runner: front, other };
}

/** A further process that runs tasks. Where those that serve do, there is one already. */
export async function relieve(
  processes: Processes,
  { RUNNER }: BackingKind,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  if (RUNNER === 'bullmq') await processes.start({ ...env, ROLE: 'worker' });
}
