import { allAcross } from './checks/all.js';
import { immediacyAcross } from './checks/immediacy.js';
import { describeReplicas } from './support/replicas.js';

describeReplicas(
  'A and B over PostgreSQL and Redis, with a worker',
  { STORE: 'postgres', QUEUE: 'redis', RUNNER: 'bullmq' },
  (replicas) => {
    allAcross(replicas);
    immediacyAcross(replicas);
  },
);
