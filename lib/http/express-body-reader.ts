import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Admitted, BodyGate, PlatformRequest } from './body-gate.js';
import { httpExchange } from './http-exchange.js';
import { readBody } from './read-body.js';

type Request = IncomingMessage & PlatformRequest;
type Next = (error?: unknown) => void;

/** What is used of the adapter; the platform may not be installed. */
export interface ExpressAdapterLike {
  use(middleware: (request: Request, response: ServerResponse, next: Next) => void): unknown;
}

/** Middleware in front of Nest's parsers, which leave a body that has been read alone. */
export function readBodiesOnExpress<Taken extends Admitted>(
  adapter: ExpressAdapterLike,
  gate: BodyGate<Taken>,
): void {
  adapter.use((request, response, next) => {
    const taken = gate.admit(request);
    if (!taken) return next();
    if (gate.answerEarly(taken, httpExchange(response))) return;
    // A GET may carry a body, too: nobody wants it, but the parsers of the host would read it and refuse it their way.
    receive(request, taken, gate.bodyLimit).then(() => next(), next);
  });
}

async function receive(request: Request, taken: Admitted, limit: number): Promise<void> {
  taken.body = await readBody(request, limit, request.headers['content-length']);
  // Parsers of the host leave a body alone that has been read, and one without a type: what is left of this one.
  if (taken.body === 'too large') delete request.headers['content-type'];
}
