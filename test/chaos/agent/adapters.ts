import type { DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { A2ABullMqModule } from 'nest-a2a/bullmq';
import { A2ARedisModule } from 'nest-a2a/redis';
import { A2ATypeOrmModule } from 'nest-a2a/typeorm';
import type { AgentSettings } from './settings.js';

/** PostgreSQL for tasks, Redis or PostgreSQL for logs, BullMQ for runs. */
export function adapters({ role, log, redisUrl, databaseUrl }: AgentSettings): DynamicModule[] {
  return [
    TypeOrmModule.forRoot({ type: 'postgres', url: databaseUrl, poolSize: 8, retryDelay: 500 }),
    A2ATypeOrmModule.forRoot({ runMigrations: true }),
    // Logs are kept until the run has read them.
    ...(log === 'redis' ? [A2ARedisModule.forRoot({ url: redisUrl, finishedTtlMs: 0 })] : []),
    A2ABullMqModule.forRoot({ role, url: redisUrl, concurrency: 30 }),
  ];
}
