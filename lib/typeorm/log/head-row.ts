import type { LogHead, LogRecord, RunState } from '../../interfaces/queue-manager.js';
import { fromText } from '../database/text.js';

/** A row as the driver gives it. Large integers may come as text. */
export type Row = Readonly<Record<string, unknown>>;

/** The head of a log as its table holds it. */
export interface HeadRow {
  readonly head: LogHead;
  /** Who has the lease, expired or not. */
  readonly holder: string | undefined;
  /** Run state before the latest lease. */
  readonly found: RunState;
  /** How often the message that was taken last was taken. */
  readonly attempt: number;
  /** Number of the last event. */
  readonly lastEvent: number;
  /** How many messages the log has. */
  readonly messages: number;
}

export function toHeadRow(row: Row): HeadRow {
  const holder = (row['holder'] as string | null) ?? undefined;
  const held = holder !== undefined && Number(row['lease_expires_at']) > Number(row['now_at']);
  const skill = row['skill'] as string | null;
  return {
    head: {
      taskId: String(row['task_id']),
      agent: fromText(String(row['agent'])),
      tenant: fromText(String(row['tenant'])),
      owner: fromText(String(row['owner'])),
      contextId: fromText(String(row['context_id'])),
      ...(skill !== null && { skill: fromText(skill) }),
      sequence: Number(row['sequence']),
      firstSequence: Number(row['first_sequence']),
      token: Number(row['token']),
      ...(held && { holder }),
      runState: row['run_state'] as RunState,
      taken: Number(row['taken']),
      closed: row['closed_at'] !== null,
    },
    holder,
    found: row['found_state'] as RunState,
    attempt: Number(row['attempt']),
    lastEvent: Number(row['last_event']),
    messages: Number(row['messages']),
  };
}

export function toRecord(row: Row): LogRecord {
  const sequence = Number(row['sequence']);
  const payload: never = JSON.parse(String(row['payload'])) as never;
  return row['kind'] === 'event'
    ? { sequence, event: payload, taken: Number(row['taken']) }
    : { sequence, command: payload };
}
