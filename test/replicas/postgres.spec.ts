import { allAcross } from './checks/all.js';
import { describeReplicas } from './support/replicas.js';

describeReplicas('A and B over PostgreSQL', { STORE: 'postgres', QUEUE: 'typeorm' }, allAcross);
