import { allAcross } from './checks/all.js';
import { describeReplicas } from './support/replicas.js';

describeReplicas(
  'A and B over PostgreSQL and Redis, with a worker',
  { STORE: 'postgres', QUEUE: 'redis', RUNNER: 'bullmq' },
  allAcross,
);
