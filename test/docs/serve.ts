import type { AddressInfo } from 'node:net';
import type { DynamicModule, INestApplication, NestApplicationOptions, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createAdapter } from '../fixtures/serve.js';

export type Platform = 'fastify' | 'express';
export const PLATFORMS: readonly Platform[] = ['fastify', 'express'];

/** An application that serves until it is disposed of. */
export interface Served extends AsyncDisposable {
  readonly app: INestApplication;
  /** `http://127.0.0.1:PORT` */
  readonly base: string;
}

export interface ServeOptions extends NestApplicationOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Called before the application listens. */
  readonly configure?: (app: INestApplication) => unknown;
}

/** Starts an application on a free port: `await using served = await serve('fastify', AppModule)`. */
export async function serve(
  platform: Platform,
  root: Type | DynamicModule,
  { configure, port: wanted = 0, ...options }: ServeOptions = {},
): Promise<Served> {
  const app = await NestFactory.create(root, createAdapter(platform), {
    logger: false,
    abortOnError: false,
    ...options,
  });
  await configure?.(app);
  await app.listen(wanted, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, base: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => app.close() };
}
