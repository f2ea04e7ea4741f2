import { allAcross } from './checks/all.js';
import { immediacyAcross } from './checks/immediacy.js';
import { describeReplicas } from './support/replicas.js';

describeReplicas('A and B over one SQLite file', { STORE: 'sqlite', QUEUE: 'typeorm' }, (replicas) => {
  allAcross(replicas);
  immediacyAcross(replicas);
});
