import type { HttpAdapterHost } from '@nestjs/core';
import type { Admitted, BodyGate } from './body-gate.js';
import { readBodiesOnExpress, type ExpressAdapterLike } from './express-body-reader.js';
import { readBodiesOnFastify } from './fastify-body-reader.js';

/**
 * Reads the bodies of the requests that a gate admits, and of those only: whatever parsers, limits and raw-body habits the host has stay as
 * they are. To be called from a provider's constructor, because the parsers of Express are registered right after the providers exist; a
 * testing module has no adapter before that.
 */
export function readBodies<Taken extends Admitted>(host: HttpAdapterHost, gate: BodyGate<Taken>): void {
  host.init$.subscribe(() => {
    const { httpAdapter } = host;
    if (httpAdapter?.getType() === 'express')
      readBodiesOnExpress(httpAdapter as unknown as ExpressAdapterLike, gate);
    else if (httpAdapter?.getType() === 'fastify') readBodiesOnFastify(httpAdapter.getInstance(), gate);
  });
}
