import type { IncomingMessage } from 'node:http';
import { mayHaveBody, type Admitted, type BodyGate, type PlatformRequest } from './body-gate.js';
import { httpExchange } from './http-exchange.js';
import { readBody } from './read-body.js';

/** Nobody sends it: bodies that are read here get this type on their way to our parser. */
const PRIVATE_TYPE = 'application/vnd.nest-a2a.unread';

/** What a gate admitted, on its way to the parser that all gates share. A member of the request: weak maps of requests burden the collector. */
const PENDING = Symbol('A2A pending body');

type RawRequest = IncomingMessage & { [PENDING]?: { readonly taken: Admitted; readonly limit: number } };
type Request = PlatformRequest & { readonly raw: RawRequest };

/** What is used of the Fastify instance; the platform may not be installed. */
export interface FastifyInstanceLike {
  addHook(
    name: 'onRequest',
    hook: (request: Request, reply: object, done: (error?: Error) => void) => void,
  ): unknown;
  hasContentTypeParser(type: string): boolean;
  addContentTypeParser(
    type: string,
    parser: (request: Request, payload: IncomingMessage) => Promise<undefined>,
  ): unknown;
}

/** Fastify chooses a parser by content type, so ours is chosen by renaming it, and only for what the gate admits. */
export function readBodiesOnFastify<Taken extends Admitted>(
  fastify: FastifyInstanceLike,
  gate: BodyGate<Taken>,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const taken = gate.admit(request);
    if (!taken) return done();
    if (gate.answerEarly(taken, httpExchange(reply))) return;
    if (mayHaveBody(taken)) {
      request.raw[PENDING] = { taken, limit: gate.bodyLimit };
      request.raw.headers['content-type'] = PRIVATE_TYPE;
    }
    done();
  });

  if (fastify.hasContentTypeParser(PRIVATE_TYPE)) return;
  fastify.addContentTypeParser(PRIVATE_TYPE, async ({ raw }, payload) => {
    const pending = raw[PENDING];
    if (!pending) return undefined;
    const { taken, limit } = pending;
    restore(raw, taken.http.headers['content-type']);
    taken.body = await readBody(payload, limit, taken.http.headers['content-length']);
    return undefined;
  });
}

/** Guards and interceptors see the type that the client sent. */
function restore({ headers }: IncomingMessage, contentType: string | undefined): void {
  if (contentType === undefined) delete headers['content-type'];
  else headers['content-type'] = contentType;
}
