import type { TablesMigration } from './migration.js';

/**
 * Snapshots of tasks. The first columns are those of the Python SDK's DatabaseTaskStore, wider where callers choose what is in them. Ours
 * follow: `scope_key` and `context_key` are digests of agent, tenant, owner (and context), by which ListTasks finds its page whatever the
 * length of those; `status_timestamp` has 30 characters, UTC to the nanosecond, so that texts sort as times do; `finished` is 1 when the state
 * is terminal; `members` names the members of the Task in their order, when that is not the usual one.
 */
export const CREATE_TASKS: TablesMigration = {
  name: 'CreateTasks',
  timestamp: 1796083200000,
  up({ dialect, types, tableOptions, table, index }) {
    const indexes = [
      [index('tasks_scope'), 'scope_key, status_timestamp DESC, id'],
      [index('tasks_context'), 'context_key, status_timestamp DESC, id'],
      [index('tasks_finished'), 'finished, status_timestamp, id'],
    ] as const;
    const inTable = indexes.map(([name, columns]) => `, INDEX ${name} (${columns})`);
    return [
      `CREATE TABLE IF NOT EXISTS ${table('tasks')} (
        id ${types.key} NOT NULL PRIMARY KEY,
        context_id ${types.text} NOT NULL,
        kind varchar(16) NOT NULL,
        owner ${types.text} NULL,
        last_updated ${types.moment} NULL,
        status ${types.json} NOT NULL,
        artifacts ${types.json} NULL,
        history ${types.json} NULL,
        protocol_version varchar(16) NULL,
        metadata ${types.json} NULL,
        agent ${types.text} NOT NULL,
        tenant ${types.text} NOT NULL,
        scope_key ${types.ascii(43)} NOT NULL,
        context_key ${types.ascii(43)} NOT NULL,
        status_state ${types.ascii(32)} NOT NULL,
        status_timestamp ${types.ascii(30)} NOT NULL,
        finished smallint NOT NULL,
        sequence bigint NOT NULL,
        fence bigint NOT NULL,
        members ${types.text} NULL
        ${dialect === 'mysql' ? inTable.join('') : ''}
      )${tableOptions}`,
      ...(dialect === 'mysql' ? [] : indexes).map(
        ([name, columns]) => `CREATE INDEX IF NOT EXISTS ${name} ON ${table('tasks')} (${columns})`,
      ),
    ];
  },
  down: ({ table }) => [`DROP TABLE ${table('tasks')}`],
};
