// A server in a process of its own. Its agent parks the task when told `park`, and else writes as many chunks of 100 kB
// as the message says, as fast as it can. It runs the built package: a parent forks it with the platform as argument,
// gets `{ port }`, and may ask with any message for memory and open streams.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { A2AModule, AgentExecutor } from 'nest-a2a';
import { OpenStreams } from '../../dist/transports/open-streams.js';

// All chunks share one text, so that the log costs next to nothing and buffers of streams show.
const CHUNK = 'x'.repeat(100_000);

class FloodAgent {
  async execute({ updater, userInput }) {
    if (userInput === 'park') return updater.requiresInput();
    const artifact = updater.artifact();
    for (let i = Number(userInput); i > 0; i--) await artifact.write(CHUNK);
    await artifact.close();
    await updater.complete();
  }
}
AgentExecutor({ name: 'Flood', description: 'Writes a lot', version: '1' })(FloodAgent);

class FloodModule {}
Module({
  imports: [A2AModule.forRoot(), A2AModule.forFeature([FloodAgent])],
  providers: [FloodAgent],
})(FloodModule);

const adapter = process.argv[2] === 'express' ? new ExpressAdapter() : new FastifyAdapter();
const app = await NestFactory.create(FloodModule, adapter, { logger: false });
await app.listen(0, '127.0.0.1');

process.on('message', () => {
  globalThis.gc();
  process.send({ rss: process.memoryUsage.rss(), streams: app.get(OpenStreams, { strict: false }).size });
});
process.on('disconnect', () => process.exit());
process.send({ port: app.getHttpServer().address().port });
