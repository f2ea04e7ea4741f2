import { look } from './leaks.js';
import { textOf, watch } from './watch.js';

const see = (values: readonly unknown[]): void => look('output', values.map(textOf).join('\n'));

/** Looks at what this process prints, by whatever logger. */
export function watchOutput(): void {
  watch(process.stdout, 'write', see);
  watch(process.stderr, 'write', see);
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) watch(console, name, see);
}
