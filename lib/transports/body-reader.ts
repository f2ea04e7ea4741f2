import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { readBodies } from '../http/read-bodies.js';
import { CallGate } from './call-gate.js';
import { CALL } from './incoming-call.js';
import { serveWildcardsOnFastify, type RoutesLike } from './wildcard.js';

/** What is used of the Fastify instance; the platform may not be installed. */
interface RequestsLike {
  hasRequestDecorator(name: symbol): boolean;
  decorateRequest(name: symbol, value: undefined): unknown;
}

/** Reads the bodies of A2A requests apart from the host, and prepares Fastify for the routes of the agents. */
@Injectable()
export class BodyReader {
  constructor(host: HttpAdapterHost, gate: CallGate) {
    host.init$.subscribe(() => {
      if (host.httpAdapter?.getType() !== 'fastify') return;
      const fastify: RequestsLike & RoutesLike = host.httpAdapter.getInstance();
      serveWildcardsOnFastify(fastify);
      // Declared, so that all requests keep one shape.
      if (!fastify.hasRequestDecorator(CALL)) fastify.decorateRequest(CALL, undefined);
    });
    readBodies(host, gate);
  }
}
