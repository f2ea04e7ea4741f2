import { allAcross } from './checks/all.js';
import { describeReplicas } from './support/replicas.js';

describeReplicas('A and B over PostgreSQL and Redis', { STORE: 'postgres', QUEUE: 'redis' }, allAcross);
