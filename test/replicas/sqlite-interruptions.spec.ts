import { describeInterruptions } from './checks/interruptions.js';

describeInterruptions('processes over one SQLite file, interrupted', { STORE: 'sqlite', QUEUE: 'typeorm' });
