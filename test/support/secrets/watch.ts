import { inspect } from 'node:util';

/** Shows what a method is called with, before it is called. */
export function watch<T extends object>(
  target: T,
  name: string & keyof T,
  see: (values: readonly unknown[], self: unknown) => void,
): void {
  const original = target[name] as (...values: unknown[]) => unknown;
  target[name] = function (this: unknown, ...values: unknown[]) {
    see(values, this);
    return original.apply(this, values);
  } as T[typeof name];
}

/** What is written, as text; of an error, its causes too. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString() : inspect(value);
}
