import { CREATE_LOGS } from '../log/create-logs.js';
import { ADD_DELIVERIES } from './add-deliveries.js';
import { ADD_DELIVERY_PLACE } from './add-delivery-place.js';
import { CREATE_PUSH_NOTIFICATION_CONFIGS } from './create-push-notification-configs.js';
import { CREATE_TASKS } from './create-tasks.js';
import type { TablesMigration } from './migration.js';

/** All migrations, the oldest first. */
export const TABLES_MIGRATIONS: readonly TablesMigration[] = [
  CREATE_TASKS,
  CREATE_PUSH_NOTIFICATION_CONFIGS,
  CREATE_LOGS,
  ADD_DELIVERIES,
  ADD_DELIVERY_PLACE,
];
