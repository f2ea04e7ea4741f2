import { TypeOrmTaskStore } from '../../lib/typeorm/typeorm-task-store.js';
import { describeTaskStore } from '../contracts/describe-task-store.js';
import { withFaults } from '../contracts/with-faults.js';
import { onEachDatabase } from './on-each-database.js';

onEachDatabase('TypeOrmTaskStore', ({ kind, database, other }) => {
  const empty = async (): Promise<void> => {
    await database().run(`DELETE FROM ${database().table('tasks')}`);
  };

  describeTaskStore(kind, async () => {
    await empty();
    return { store: new TypeOrmTaskStore(database()), other: new TypeOrmTaskStore(other()) };
  });

  describeTaskStore(`${kind} over a bad line`, async () => {
    await empty();
    const line = { latency: () => Math.random() * 4 };
    return {
      store: withFaults(new TypeOrmTaskStore(database()), line),
      other: withFaults(new TypeOrmTaskStore(other()), line),
    };
  });
});
