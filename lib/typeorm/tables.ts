import { LOG_TABLES } from './log/log-table-definitions.js';

/** A table and the columns that this version of the adapter uses: on boot they must be there. */
export interface TableDefinition {
  /** Without the prefix. */
  readonly name: string;
  readonly columns: readonly string[];
}

export const TASKS = {
  name: 'tasks',
  columns: [
    'id',
    'context_id',
    'kind',
    'owner',
    'last_updated',
    'status',
    'artifacts',
    'history',
    'protocol_version',
    'metadata',
    'agent',
    'tenant',
    'scope_key',
    'context_key',
    'status_state',
    'status_timestamp',
    'finished',
    'sequence',
    'fence',
    'members',
  ],
} as const satisfies TableDefinition;

export const PUSH_NOTIFICATION_CONFIGS = {
  name: 'push_notification_configs',
  columns: [
    'task_id',
    'config_id',
    'config_data',
    'owner',
    'protocol_version',
    'position',
    'delivery_cursor',
    'delivery_pending',
    'delivery_failures',
    'delivery_status',
    'delivery_holder',
    'delivery_token',
    'delivery_free_from',
    'delivery_place',
  ],
} as const satisfies TableDefinition;

/** All tables of the adapter. */
export const TABLES: readonly TableDefinition[] = [TASKS, PUSH_NOTIFICATION_CONFIGS, ...LOG_TABLES];
