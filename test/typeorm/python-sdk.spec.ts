import { beforeAll, expect, it } from 'vitest';
import { EntitySchema, type DataSource } from 'typeorm';
import type { TaskRecord } from '../../lib/interfaces/task-store.js';
import { TypeOrmPushNotificationConfigStore } from '../../lib/typeorm/typeorm-push-notification-config-store.js';
import { TypeOrmTaskStore } from '../../lib/typeorm/typeorm-task-store.js';
import { unique } from '../contracts/samples.js';
import { onEachDatabase } from './on-each-database.js';

/** The columns that the Python SDK's DatabaseTaskStore reads, as it declares them: `table_name='a2a_tasks'`. */
const PythonTask = new EntitySchema<Record<string, unknown>>({
  name: 'PythonTask',
  tableName: 'a2a_tasks',
  columns: {
    id: { type: String, length: 36, primary: true },
    context_id: { type: String, length: 36 },
    kind: { type: String, length: 16 },
    owner: { type: String, length: 255, nullable: true },
    last_updated: { type: String, nullable: true },
    status: { type: 'simple-json' },
    artifacts: { type: 'simple-json', nullable: true },
    history: { type: 'simple-json', nullable: true },
    protocol_version: { type: String, length: 16, nullable: true },
    metadata: { type: 'simple-json', nullable: true },
  },
});

/** Those of its DatabasePushNotificationConfigStore. */
const PythonConfig = new EntitySchema<Record<string, unknown>>({
  name: 'PythonConfig',
  tableName: 'a2a_push_notification_configs',
  columns: {
    task_id: { type: String, length: 36, primary: true },
    config_id: { type: String, length: 255, primary: true },
    // SQLite and MySQL call a column of bytes a blob, PostgreSQL bytea; here it is only read.
    config_data: { type: String, transformer: { from: (bytes: Buffer) => bytes.toString(), to: String } },
    owner: { type: String, length: 255, nullable: true },
    protocol_version: { type: String, length: 16, nullable: true },
  },
});

onEachDatabase('What the Python SDK reads', (databases) => {
  const record = (id: string): TaskRecord => ({
    agent: 'agent',
    tenant: '',
    owner: 'someone',
    task: {
      id,
      contextId: 'context',
      status: {
        state: 'TASK_STATE_INPUT_REQUIRED',
        timestamp: '2026-05-04T03:02:01.123456789Z',
        message: { messageId: 'm2', role: 'ROLE_AGENT', parts: [{ text: 'Which?' }] },
      },
      artifacts: [{ artifactId: 'a', parts: [{ raw: 'AAE=', mediaType: 'image/png' }, { data: { n: 1 } }] }],
      history: [{ messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] }],
      metadata: { key: 'value' },
    },
    sequence: 3,
    fence: 1,
  });
  let source: DataSource;
  let id: string;

  beforeAll(async () => {
    source = await databases.place().connect({ entities: [PythonTask, PythonConfig] });
    id = unique('t').slice(0, 36);
    await new TypeOrmTaskStore(databases.database()).save(record(id));
  });

  it('is the task, member by member, in the columns of its DatabaseTaskStore', async () => {
    const { task } = record(id);
    const [row] = await source
      .getRepository(PythonTask)
      .find({ where: { id, owner: 'someone' }, select: selectedBut('last_updated') });
    expect(row).toEqual({
      id,
      context_id: 'context',
      kind: 'task',
      owner: 'someone',
      status: task.status,
      artifacts: task.artifacts,
      history: task.history,
      protocol_version: '1.0',
      metadata: task.metadata,
    });
  });

  it('is the time of the status in UTC without a zone', async () => {
    const text = {
      postgres: 'last_updated::text',
      mariadb: 'CAST(last_updated AS CHAR)',
      sqlite: 'last_updated',
    };
    const [row] = await source.query(
      `SELECT ${text[databases.kind]} AS at FROM a2a_tasks WHERE id = '${id}'`,
    );
    expect(row).toEqual({ at: '2026-05-04 03:02:01.123456' });
  });

  it('is the state of the task where it filters by it', async () => {
    const state = {
      postgres: `status ->> 'state'`,
      mariadb: `JSON_UNQUOTE(JSON_EXTRACT(status, '$.state'))`,
      sqlite: `JSON_EXTRACT(status, '$.state')`,
    };
    const rows = await source.query(
      `SELECT id FROM a2a_tasks WHERE ${state[databases.kind]} = 'TASK_STATE_INPUT_REQUIRED'`,
    );
    expect(rows).toEqual([{ id }]);
  });

  it('is the webhook with the owner of its task', async () => {
    const config = { taskId: id, id: 'hook', url: 'https://example.com', token: 't' };
    await new TypeOrmPushNotificationConfigStore(databases.database()).set(config);
    const [row] = await source.getRepository(PythonConfig).findBy({ task_id: id, owner: 'someone' });
    const { config_data, ...columns } = row!;
    expect(JSON.parse(String(config_data))).toEqual(config);
    expect(columns).toEqual({ task_id: id, config_id: 'hook', owner: 'someone', protocol_version: '1.0' });
  });
});

function selectedBut(left: string): Record<string, true> {
  const names = Object.keys(PythonTask.options.columns).filter((name) => name !== left);
  return Object.fromEntries(names.map((name) => [name, true]));
}
