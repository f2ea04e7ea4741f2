import type { ChildProcess } from 'node:child_process';
import { look } from './leaks.js';

/** Longer than any known secret, which may come in two pieces. */
const OVERLAP = 200;

/** Looks at what another process prints. Its output must be piped. */
export function watchChild({ stdout, stderr }: ChildProcess): void {
  for (const stream of [stdout, stderr]) {
    let text = '';
    stream!.on('data', (data: Buffer) => {
      text = text.slice(-OVERLAP) + data.toString();
      look('output', text);
    });
  }
}
