import type { TablesMigration } from '../migrations/migration.js';

/**
 * The logs of tasks. Times are microseconds since the epoch by the clock of the database. `log_heads` has one row per log: `found_state` is the
 * run state before the latest lease, `attempt` counts how often the message `taken` was taken, under `taken_by` as the latest token; `messages`
 * of which `messages_taken` were taken; `waiting_since` is set while nobody holds a log that waits for somebody. `message_number` counts the
 * messages of a log. `log_onces` knows the messages that may be in a log once only, `log_claims` what was sent lately.
 */
export const CREATE_LOGS: TablesMigration = {
  name: 'CreateLogs',
  timestamp: 1796083202000,
  up({ dialect, types, tableOptions, table, index }) {
    const heads = table('log_heads');
    const claims = table('log_claims');
    const headIndexes = ['lease_expires_at', 'waiting_since', 'closed_at'].map(
      (column) => [index(`log_heads_${column}`), column] as const,
    );
    const claimIndexes = [[index('log_claims_expires_at'), 'expires_at']] as const;
    const inTable = (indexes: readonly (readonly [string, string])[]): string =>
      dialect === 'mysql' ? indexes.map(([name, column]) => `, INDEX ${name} (${column})`).join('') : '';
    const beside = (on: string, indexes: readonly (readonly [string, string])[]): string[] =>
      dialect === 'mysql'
        ? []
        : indexes.map(([name, column]) => `CREATE INDEX IF NOT EXISTS ${name} ON ${on} (${column})`);
    return [
      `CREATE TABLE IF NOT EXISTS ${heads} (
        task_id ${types.key} NOT NULL PRIMARY KEY,
        agent ${types.text} NOT NULL,
        tenant ${types.text} NOT NULL,
        owner ${types.text} NOT NULL,
        context_id ${types.text} NOT NULL,
        skill ${types.text} NULL,
        sequence bigint NOT NULL,
        first_sequence bigint NOT NULL,
        token bigint NOT NULL,
        holder ${types.key} NULL,
        lease_expires_at bigint NULL,
        run_state ${types.ascii(16)} NOT NULL,
        found_state ${types.ascii(16)} NOT NULL,
        taken bigint NOT NULL,
        attempt integer NOT NULL,
        taken_by bigint NOT NULL,
        messages bigint NOT NULL,
        messages_taken bigint NOT NULL,
        last_event bigint NOT NULL,
        last_command bigint NOT NULL,
        command_at bigint NOT NULL,
        waiting_since bigint NULL,
        closed_at bigint NULL
        ${inTable(headIndexes)}
      )${tableOptions}`,
      ...beside(heads, headIndexes),
      `CREATE TABLE IF NOT EXISTS ${table('log_records')} (
        task_id ${types.key} NOT NULL,
        sequence bigint NOT NULL,
        kind ${types.ascii(16)} NOT NULL,
        taken bigint NULL,
        message_number bigint NULL,
        payload ${types.text} NOT NULL,
        PRIMARY KEY (task_id, sequence)
      )${tableOptions}`,
      `CREATE TABLE IF NOT EXISTS ${table('log_onces')} (
        task_id ${types.key} NOT NULL,
        message_key ${types.ascii(43)} NOT NULL,
        sequence bigint NOT NULL,
        PRIMARY KEY (task_id, message_key)
      )${tableOptions}`,
      `CREATE TABLE IF NOT EXISTS ${claims} (
        claim_key ${types.ascii(64)} NOT NULL PRIMARY KEY,
        task_id ${types.key} NOT NULL,
        digest ${types.text} NOT NULL,
        expires_at bigint NOT NULL
        ${inTable(claimIndexes)}
      )${tableOptions}`,
      ...beside(claims, claimIndexes),
    ];
  },
  down: ({ table }) =>
    ['log_claims', 'log_onces', 'log_records', 'log_heads'].map((name) => `DROP TABLE ${table(name)}`),
};
