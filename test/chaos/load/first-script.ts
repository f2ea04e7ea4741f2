import type { Script } from '../agent/script.js';
import type { Random } from '../random.js';

/** What kind of life a task has. */
export type Kind = 'work' | 'stream' | 'park' | 'cancel' | 'detach' | 'throw';

/** What the message says that begins a task. */
export function firstScript(kind: Kind, random: Random): Script {
  switch (kind) {
    case 'work':
      return { do: 'work', chunks: random.between(0, 3), pauseMs: 0, flushEvery: 2 };
    case 'stream':
      return {
        do: 'work',
        chunks: random.between(20, 80),
        pauseMs: random.pick([0, 5, 20, 40]),
        flushEvery: random.between(3, 20),
      };
    case 'cancel':
      return { do: 'hold', ms: random.pick([200, 20_000]), deaf: random.chance(0.2) };
    default:
      return { do: kind };
  }
}
