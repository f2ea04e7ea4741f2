import { ServerResponse } from 'node:http';
import { look } from './leaks.js';
import { textOf, watch } from './watch.js';

/** Looks at the headers and bodies that servers of this process answer. */
export function watchAnswers(): void {
  const see = ([body]: readonly unknown[], response: unknown): void => {
    const { headersSent } = response as ServerResponse;
    const headers = headersSent ? '' : JSON.stringify((response as ServerResponse).getHeaders());
    look('answer', headers + (typeof body === 'function' ? '' : textOf(body ?? '')));
  };
  watch(ServerResponse.prototype, 'writeHead', (values) => look('answer', JSON.stringify(values)));
  watch(ServerResponse.prototype, 'write', see);
  watch(ServerResponse.prototype, 'end', see);
}
