import { afterEach, expect } from 'vitest';
import { KNOWN_SECRETS } from './known-secrets.js';

/** Fails the test in which one of the known secrets is printed, by whatever logger. */
const leaks: string[] = [];

function look(values: readonly unknown[]): void {
  for (const value of values) {
    const text = value instanceof Error ? `${value.message}\n${value.stack}` : String(value);
    for (const secret of KNOWN_SECRETS) if (text.includes(secret)) leaks.push(`${secret} in: ${text}`);
  }
}

function watch<K extends string>(target: Record<K, (...values: never[]) => unknown>, name: K): void {
  const original = target[name];
  target[name] = (...values: never[]) => {
    look(values);
    return original.apply(target, values);
  };
}

for (const stream of [process.stdout, process.stderr]) watch(stream as never, 'write');
for (const name of ['log', 'info', 'warn', 'error', 'debug']) watch(console as never, name);

afterEach(() => {
  expect(leaks.splice(0), 'secrets that were printed').toEqual([]);
});
