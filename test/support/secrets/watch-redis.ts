import { Redis } from 'ioredis';
import { look } from './leaks.js';
import { textOf, watch } from './watch.js';

/** Looks at what this process sends to Redis: logs, jobs and messages, also those that are gone before a test ends. */
export function watchRedis(): void {
  watch(Redis.prototype, 'sendCommand', ([command]) => {
    const { name, args } = command as { readonly name: string; readonly args: readonly unknown[] };
    // Passwords are for Redis, which keeps nothing of them.
    if (name !== 'auth') look('store', args.map(textOf).join('\n'));
  });
}
