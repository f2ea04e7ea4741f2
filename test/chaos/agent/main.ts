import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { ConsoleLogger, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { QueueManager, TaskHandle } from 'nest-a2a';
import { ChaosAppModule } from './app.module.js';
import { HELD_TOKENS, JOURNAL } from './chaos.agent.js';
import { journalLeases, type HeldTokens } from './journal-leases.js';
import type { Journal } from './journal.js';
import type { AgentSettings, Question, Said } from './settings.js';

const settings = JSON.parse(process.env['CHAOS']!) as AgentSettings;

// Nobody is left to tell when the run itself has died.
process.on('disconnect', () => process.exit(1));

const logger = new ConsoleLogger({ logLevels: ['warn', 'error', 'fatal'], colors: false });
const app = await NestFactory.create(ChaosAppModule.register(settings), new FastifyAdapter(), { logger });
app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true });
const journal = app.get<Journal>(JOURNAL);
app.get<{ current: HeldTokens }>(HELD_TOKENS).current = journalLeases(app.get(QueueManager), journal);
if (settings.role === 'web') await app.listen(settings.port, '127.0.0.1');
else await app.init();
answerQuestions(app);
say({ ready: true });

function say(what: Said): void {
  if (process.connected) process.send!(what, () => {});
}

function answerQuestions(context: INestApplicationContext): void {
  process.on('message', (question: Question) => {
    answer(context, question).then(
      (value) => say({ answer: question.ask, value }),
      (error: unknown) => say({ answer: question.ask, error: String(error) }),
    );
  });
}

async function answer(context: INestApplicationContext, question: Question): Promise<readonly string[]> {
  if (question.what === 'abandoned')
    return context.get(QueueManager).abandoned({ queuedBefore: Date.now(), limit: 1_000 });
  const { task } = question;
  const run = `handle-${randomUUID()}`;
  await context
    .get(TaskHandle)
    .for(task)
    .updateStatus('TASK_STATE_COMPLETED', undefined, { mark: `${run}.0` });
  journal.write({ note: 'acknowledged', run, task, n: 0 });
  return [];
}
