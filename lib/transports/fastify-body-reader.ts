import type { IncomingMessage } from 'node:http';
import type { CallGate, PlatformRequest } from './call-gate.js';
import { httpExchange } from './http-exchange.js';
import { CALL, callOf } from './incoming-call.js';
import { readBody } from './read-body.js';

/** Nobody sends it: bodies of A2A requests get this type on their way to our parser. */
const PRIVATE_TYPE = 'application/vnd.nest-a2a.unread';

type Request = PlatformRequest & { readonly raw: IncomingMessage };

/** What is used of the Fastify instance; the platform may not be installed. */
export interface FastifyInstanceLike {
  hasRequestDecorator(name: symbol): boolean;
  decorateRequest(name: symbol, value: undefined): unknown;
  addHook(
    name: 'onRequest',
    hook: (request: Request, reply: object, done: (error?: Error) => void) => void,
  ): unknown;
  addContentTypeParser(
    type: string,
    parser: (request: Request, payload: IncomingMessage) => Promise<undefined>,
  ): unknown;
}

/** Fastify chooses a parser by content type, so ours is chosen by renaming it, and only under our paths. */
export function readBodiesOnFastify(fastify: FastifyInstanceLike, gate: CallGate): void {
  // Declared, so that all requests keep one shape.
  if (!fastify.hasRequestDecorator(CALL)) fastify.decorateRequest(CALL, undefined);
  fastify.addHook('onRequest', (request, reply, done) => {
    const call = gate.admit(request);
    if (!call) return done();
    if (gate.answerEarly(call, httpExchange(reply))) return;
    if (gate.hasBody(call)) request.raw.headers['content-type'] = PRIVATE_TYPE;
    done();
  });

  fastify.addContentTypeParser(PRIVATE_TYPE, async (request, payload) => {
    const call = callOf(request);
    if (!call) return undefined;
    restore(request.raw, call.http.headers['content-type']);
    call.body = await readBody(payload, gate.bodyLimit, call.http.headers['content-length']);
    return undefined;
  });
}

/** Guards and interceptors see the type that the client sent. */
function restore({ headers }: IncomingMessage, contentType: string | undefined): void {
  if (contentType === undefined) delete headers['content-type'];
  else headers['content-type'] = contentType;
}
