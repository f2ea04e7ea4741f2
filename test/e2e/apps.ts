import type { AddressInfo } from 'node:net';
import type { DynamicModule, INestApplication, NestApplicationOptions, Provider, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { A2AModule, type A2AModuleOptions } from 'nest-a2a';
import { OpenStreams } from '../../lib/transports/open-streams.js';
import { DetachedWork } from '../fixtures/scripted-agent/detached-work.js';
import { RunCounter } from '../fixtures/scripted-agent/run-counter.js';
import { ScriptedAgent } from '../fixtures/scripted-agent/scripted.agent.js';
import { createAdapter } from '../fixtures/serve.js';

export type Platform = 'fastify' | 'express';
export const PLATFORMS: readonly Platform[] = ['fastify', 'express'];

/** An application that serves. */
export interface Running {
  readonly app: INestApplication;
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly base: string;
}

export interface StartOptions extends NestApplicationOptions {
  /** Called before the application listens. */
  readonly configure?: (app: INestApplication) => unknown;
}

/** Starts an application on a free port. */
export async function start(
  platform: Platform,
  root: Type | DynamicModule,
  { configure, ...options }: StartOptions = {},
): Promise<Running> {
  const adapter = createAdapter(platform);
  const app = await NestFactory.create(root, adapter, { logger: false, abortOnError: false, ...options });
  await configure?.(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, port, base: `http://127.0.0.1:${port}` };
}

/** Closes the application, as its users do. */
export async function stop(running: { readonly app: INestApplication } | undefined): Promise<void> {
  await running?.app.close();
}

/** A module of the scripted agent with options that its environment does not know. */
export function scripted(options: A2AModuleOptions = {}, providers: Provider[] = []): DynamicModule {
  class TestModule {}
  return {
    module: TestModule,
    imports: [A2AModule.forRoot(options), A2AModule.forFeature([ScriptedAgent])],
    providers: [ScriptedAgent, RunCounter, DetachedWork, ...providers],
  };
}

/** Streams that the library holds open towards clients. */
export function openStreams(app: INestApplication): number {
  return app.get(OpenStreams, { strict: false }).size;
}
