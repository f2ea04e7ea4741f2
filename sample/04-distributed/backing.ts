import type { DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { A2ABullMqModule } from 'nest-a2a/bullmq';
import { A2ARedisModule } from 'nest-a2a/redis';
import { A2ATypeOrmModule } from 'nest-a2a/typeorm';
import type { Settings } from './settings.js';

/** Where tasks are kept and who runs them. A2AModule finds what these modules bring; the agents do not know the difference. */
export function backing(settings: Settings): DynamicModule[] {
  return settings.databaseUrl === undefined ? oneFile(settings) : servers(settings);
}

/** Tasks and logs in one SQLite file; agents run in the process that accepted the message. */
function oneFile({ sqliteFile }: Settings): DynamicModule[] {
  return [A2ATypeOrmModule.forRoot({ sqlite: { file: sqliteFile }, runMigrations: true })];
}

/** Tasks in PostgreSQL, logs in Redis, and runs on workers. */
function servers({ role, databaseUrl, redisUrl, redisPrefix }: Settings): DynamicModule[] {
  return [
    TypeOrmModule.forRoot({ type: 'postgres', url: databaseUrl, poolSize: 10 }),
    A2ATypeOrmModule.forRoot({ runMigrations: true }),
    A2ARedisModule.forRoot({ url: redisUrl, keyPrefix: redisPrefix }),
    A2ABullMqModule.forRoot({ role, url: redisUrl, prefix: `${redisPrefix}-runs`, concurrency: 20 }),
  ];
}
