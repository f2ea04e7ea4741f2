import { allAcross } from './checks/all.js';
import { describeReplicas } from './support/replicas.js';

describeReplicas('A and B over one SQLite file', { STORE: 'sqlite', QUEUE: 'typeorm' }, allAcross);
