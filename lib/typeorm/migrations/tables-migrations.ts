import { CREATE_PUSH_NOTIFICATION_CONFIGS } from './create-push-notification-configs.js';
import { CREATE_TASKS } from './create-tasks.js';
import type { TablesMigration } from './migration.js';

/** All migrations, the oldest first. Those of the log belong at the end (import them from ../log/), with later timestamps. */
export const TABLES_MIGRATIONS: readonly TablesMigration[] = [CREATE_TASKS, CREATE_PUSH_NOTIFICATION_CONFIGS];
