import type { MigrationContext, TablesMigration } from './migration.js';

/**
 * Where an open delivery leads: its receiver is passed over while it cannot take more. `unknown`, which is never passed over, where nobody noted
 * it; nothing once all is told, so that what is told does not count among what leads elsewhere.
 */
export const ADD_DELIVERY_PLACE: TablesMigration = {
  name: 'AddDeliveryPlace',
  timestamp: 1796083204000,
  async up(context) {
    const { dialect, types, table, columnsOf } = context;
    const configs = table(CONFIGS);
    const { free, place } = indexesOf(context);
    const column = `ADD COLUMN delivery_place ${types.key} NULL DEFAULT 'unknown'`;
    const isThere = (await columnsOf(CONFIGS)).includes('delivery_place');
    const add = isThere ? [] : [`ALTER TABLE ${configs} ${column}`];
    const forget = `UPDATE ${configs} SET delivery_place = NULL WHERE delivery_free_from IS NULL AND delivery_place IS NOT NULL`;
    switch (dialect) {
      case 'mysql':
        // In one step, as MySQL commits at each.
        return [...add.map((change) => `${change}, ADD INDEX ${place} (${PLACE_COLUMNS})`), forget];
      case 'postgres':
        return [...add, forget, `CREATE INDEX IF NOT EXISTS ${place} ON ${configs} (${PLACE_COLUMNS})`];
      case 'sqlite':
        // Without statistics SQLite goes by the time in any case: with the place in that index it passes over rows without reading them.
        return [
          ...add,
          forget,
          `DROP INDEX IF EXISTS ${free}`,
          `CREATE INDEX IF NOT EXISTS ${place} ON ${configs} (${FREE_COLUMNS}, delivery_place)`,
        ];
    }
  },
  down(context) {
    const { dialect, table } = context;
    const configs = table(CONFIGS);
    const { free, place } = indexesOf(context);
    switch (dialect) {
      case 'mysql':
        return [`ALTER TABLE ${configs} DROP INDEX ${place}, DROP COLUMN delivery_place`];
      case 'postgres':
        // The index goes with it.
        return [`ALTER TABLE ${configs} DROP COLUMN delivery_place`];
      case 'sqlite':
        return [
          `DROP INDEX ${place}`,
          `ALTER TABLE ${configs} DROP COLUMN delivery_place`,
          `CREATE INDEX ${free} ON ${configs} (${FREE_COLUMNS})`,
        ];
    }
  },
};

const CONFIGS = 'push_notification_configs';
const FREE_COLUMNS = 'delivery_free_from, position';
const PLACE_COLUMNS = 'delivery_place, delivery_free_from';

function indexesOf({ index }: MigrationContext): Readonly<Record<'free' | 'place', string>> {
  return { free: index('push_deliveries_free'), place: index('push_deliveries_place') };
}
