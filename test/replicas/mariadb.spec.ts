import { allAcross } from './checks/all.js';
import { describeReplicas } from './support/replicas.js';

describeReplicas('A and B over MariaDB', { STORE: 'mariadb', QUEUE: 'typeorm' }, allAcross);
