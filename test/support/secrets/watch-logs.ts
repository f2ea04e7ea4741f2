import { Logger } from '@nestjs/common';
import { look } from './leaks.js';
import { textOf, watch } from './watch.js';

/** Looks at what is logged, also where a test shows no log or keeps it to itself. */
export function watchLogs(): void {
  for (const level of ['log', 'warn', 'error', 'debug', 'verbose', 'fatal'] as const) {
    watch(Logger.prototype, level, (values) => look('log', values.map(textOf).join('\n')));
  }
}
