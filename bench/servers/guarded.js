// @ts-check
// An agent behind a bearer JWT, or the same one behind nothing. GUARD: none, cached, uncached; GUARD_KEY: the public key as a JWK.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { A2AModule, AgentExecutor, httpBearer, Skill } from 'nest-a2a';
import { ready } from './tell.js';

/** @import { RequestContext } from 'nest-a2a' */

const { GUARD = 'none', GUARD_KEY = '{}' } = process.env;

class Scripted {
  /** @param {RequestContext} context */
  async execute({ updater, userInput }) {
    await updater.startWork();
    await updater.addArtifact(`Hello, ${userInput}`);
    await updater.complete();
  }
}

const bearer = () =>
  httpBearer({
    publicKey: JSON.parse(GUARD_KEY),
    issuer: 'bench',
    audience: 'bench',
    algorithms: ['ES256'],
    ...(GUARD === 'uncached' && { cacheSeconds: 0 }),
  });

Skill({ id: 'script', name: 'Script', description: 'Does what it is told', tags: ['bench'] })(Scripted);
AgentExecutor({
  name: 'Guarded agent',
  description: 'The benchmark behind a guard',
  version: '1.0.0',
  ...(GUARD !== 'none' && {
    securitySchemes: { bearer: bearer() },
    securityRequirements: [{ schemes: { bearer: { list: ['bench'] } } }],
  }),
})(Scripted);

class AppModule {}
Module({
  imports: [A2AModule.forRoot(), A2AModule.forFeature([Scripted])],
  providers: [Scripted],
})(AppModule);

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { logger: ['error'] });
await app.listen(0, '127.0.0.1');
ready(Number(new URL(await app.getUrl()).port));
