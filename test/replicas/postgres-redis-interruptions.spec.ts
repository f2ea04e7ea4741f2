import { describeInterruptions } from './checks/interruptions.js';

describeInterruptions('processes over PostgreSQL and Redis, interrupted', {
  STORE: 'postgres',
  QUEUE: 'redis',
});
