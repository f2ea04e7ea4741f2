import type { MigrationContext, TablesMigration } from './migration.js';

/**
 * How far each webhook was told the story of its task. `delivery_free_from`, in microseconds since the epoch by the clock of the database, is
 * when a sender may take the delivery: where one holds it the end of the hold, and nothing where there is nothing left to tell.
 *
 * Nothing was ever sent to the webhooks that are there. Those of live tasks are told the Task as it is and what follows, as their callers were
 * promised; so are those whose task is not stored, maybe not yet. Of tasks that have ended nobody waits for news by now, and they may be many: their
 * webhooks are left in peace.
 */
export const ADD_DELIVERIES: TablesMigration = {
  name: 'AddDeliveries',
  timestamp: 1796083203000,
  async up(context) {
    const { dialect, table, columnsOf } = context;
    const configs = table(CONFIGS);
    const columns = columnsFor(context).map((column) => `ADD COLUMN ${column}`);
    const indexes = indexesFor(context);
    const leaveInPeace = `UPDATE ${configs} SET delivery_status = 'done', delivery_free_from = NULL
      WHERE task_id IN (SELECT id FROM ${table('tasks')} WHERE finished = 1)`;
    const isThere = (await columnsOf(CONFIGS)).includes('delivery_status');
    if (dialect === 'mysql') {
      // In one step, as MySQL commits at each.
      const changes = [...columns, ...indexes.map(([name, on]) => `ADD INDEX ${name} (${on})`)];
      return isThere ? [] : [`ALTER TABLE ${configs} ${changes.join(', ')}`, leaveInPeace];
    }
    return [
      ...(isThere ? [] : [...columns.map((column) => `ALTER TABLE ${configs} ${column}`), leaveInPeace]),
      ...indexes.map(([name, on]) => `CREATE INDEX IF NOT EXISTS ${name} ON ${configs} (${on})`),
    ];
  },
  down(context) {
    const { dialect, table } = context;
    const configs = table(CONFIGS);
    const columns = columnsFor(context).map((column) => `DROP COLUMN ${column.split(' ')[0]!}`);
    const indexes = indexesFor(context).map(([name]) => `DROP INDEX ${name}`);
    switch (dialect) {
      case 'mysql':
        return [`ALTER TABLE ${configs} ${[...indexes, ...columns].join(', ')}`];
      case 'postgres':
        // The indexes go with them.
        return [`ALTER TABLE ${configs} ${columns.join(', ')}`];
      case 'sqlite':
        return [...indexes, ...columns.map((column) => `ALTER TABLE ${configs} ${column}`)];
    }
  },
};

const CONFIGS = 'push_notification_configs';

function columnsFor({ types }: MigrationContext): readonly string[] {
  return [
    'delivery_cursor bigint NULL',
    'delivery_pending bigint NULL',
    'delivery_failures integer NOT NULL DEFAULT 0',
    `delivery_status ${types.ascii(16)} NOT NULL DEFAULT 'open'`,
    `delivery_holder ${types.key} NULL`,
    'delivery_token bigint NOT NULL DEFAULT 0',
    'delivery_free_from bigint NULL DEFAULT 0',
  ];
}

/** What senders claim by, and what they renew by. */
function indexesFor({ index }: MigrationContext): readonly (readonly [name: string, columns: string])[] {
  return [
    [index('push_deliveries_free'), 'delivery_free_from, position'],
    [index('push_deliveries_held'), 'delivery_holder'],
  ];
}
