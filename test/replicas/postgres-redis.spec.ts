import { allAcross } from './checks/all.js';
import { immediacyAcross } from './checks/immediacy.js';
import { describeReplicas } from './support/replicas.js';

describeReplicas('A and B over PostgreSQL and Redis', { STORE: 'postgres', QUEUE: 'redis' }, (replicas) => {
  allAcross(replicas);
  immediacyAcross(replicas);
});
