import { describeInterruptions } from './checks/interruptions.js';

describeInterruptions('processes over PostgreSQL and Redis, with workers, interrupted', {
  STORE: 'postgres',
  QUEUE: 'redis',
  RUNNER: 'bullmq',
});
