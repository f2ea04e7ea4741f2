import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CallGate } from './call-gate.js';
import { readBodiesOnExpress, type ExpressAdapterLike } from './express-body-reader.js';
import { readBodiesOnFastify, type FastifyInstanceLike } from './fastify-body-reader.js';
import { serveWildcardsOnFastify, type RoutesLike } from './wildcard.js';

/**
 * Reads the bodies of A2A requests, and of those only: whatever parsers, limits and raw-body habits the host has stay
 * as they are, and do not reach the agents. It works from its constructor, because the parsers of Express are
 * registered right after the providers exist; a testing module has no adapter before that.
 */
@Injectable()
export class BodyReader {
  constructor(host: HttpAdapterHost, gate: CallGate) {
    host.init$.subscribe(() => {
      const { httpAdapter } = host;
      if (httpAdapter?.getType() === 'express') {
        readBodiesOnExpress(httpAdapter as unknown as ExpressAdapterLike, gate);
      } else if (httpAdapter?.getType() === 'fastify') {
        const fastify: FastifyInstanceLike & RoutesLike = httpAdapter.getInstance();
        serveWildcardsOnFastify(fastify);
        readBodiesOnFastify(fastify, gate);
      }
    });
  }
}
