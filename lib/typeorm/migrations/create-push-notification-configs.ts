import type { TablesMigration } from './migration.js';

/** Webhooks of tasks. The columns of the Python SDK's DatabasePushNotificationConfigStore, and `position`: the order of creation within a task. */
export const CREATE_PUSH_NOTIFICATION_CONFIGS: TablesMigration = {
  name: 'CreatePushNotificationConfigs',
  timestamp: 1796083201000,
  up: ({ types, tableOptions, table }) => [
    `CREATE TABLE IF NOT EXISTS ${table('push_notification_configs')} (
      task_id ${types.key} NOT NULL,
      config_id ${types.key} NOT NULL,
      config_data ${types.bytes} NOT NULL,
      owner ${types.text} NULL,
      protocol_version varchar(16) NULL,
      position integer NOT NULL,
      PRIMARY KEY (task_id, config_id)
    )${tableOptions}`,
  ],
  down: ({ table }) => [`DROP TABLE ${table('push_notification_configs')}`],
};
