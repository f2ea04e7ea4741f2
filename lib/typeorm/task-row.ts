import type { TaskRecord, TaskScope } from '../interfaces/task-store.js';
import type { Task } from '../protocol/model.js';
import { isTerminal } from '../protocol/task-state.js';
import type { SqlValue } from './database/database.js';
import { digestOf, fromText, toText } from './database/text.js';
import { toMoment, toSortable } from './database/timestamps.js';
import type { TASKS } from './tables.js';

type Column = (typeof TASKS.columns)[number];

/** Members of a Task in the order of its projection. They are columns, so a Task with others, or in another order, says so. */
const MEMBERS = ['id', 'status', 'contextId', 'artifacts', 'history', 'metadata'] as const;

/** Columns of JSON. */
export const JSON_COLUMNS = [
  'status',
  'artifacts',
  'history',
  'metadata',
] as const satisfies readonly Column[];

/** Columns that make up a record. */
export const PLAIN_COLUMNS = [
  'id',
  'context_id',
  'owner',
  'agent',
  'tenant',
  'sequence',
  'fence',
  'members',
  'status_timestamp',
] as const satisfies readonly Column[];

/** A row as it is read. */
export type TaskRow = Readonly<Record<(typeof PLAIN_COLUMNS)[number], unknown>> & {
  readonly [column in (typeof JSON_COLUMNS)[number]]: string | null;
};

/** What a record is in the table. */
export function toRow(record: TaskRecord): Record<Column, SqlValue> {
  const { task, owner, agent, tenant, sequence, fence } = record;
  const timestamp = toSortable(task.status.timestamp);
  return {
    id: task.id,
    context_id: toText(task.contextId ?? ''),
    kind: 'task',
    owner: toText(owner),
    last_updated: toMoment(timestamp),
    status: JSON.stringify(task.status),
    artifacts: jsonOrNull(task.artifacts),
    history: jsonOrNull(task.history),
    protocol_version: '1.0',
    metadata: jsonOrNull(task.metadata),
    agent: toText(agent),
    tenant: toText(tenant),
    scope_key: scopeKey(record),
    context_key: contextKey(record, task.contextId ?? ''),
    status_state: task.status.state,
    status_timestamp: timestamp,
    finished: isTerminal(task.status.state) ? 1 : 0,
    sequence,
    fence,
    members: membersOf(task),
  };
}

/** The record that was given to `toRow()`. */
export function fromRow(row: TaskRow): TaskRecord {
  return {
    agent: textOf(row.agent),
    tenant: textOf(row.tenant),
    owner: textOf(row.owner),
    task: taskOf(row),
    sequence: Number(row.sequence),
    fence: Number(row.fence),
  };
}

/** What all tasks of a scope are found by. */
export function scopeKey({ agent, tenant, owner }: TaskScope): string {
  return digestOf(agent, tenant, owner);
}

/** What the tasks of a context are found by, those of one scope. */
export function contextKey({ agent, tenant, owner }: TaskScope, contextId: string): string {
  return digestOf(agent, tenant, owner, contextId);
}

function membersOf(task: Task): string | null {
  const names = Object.keys(task).filter((name) => task[name as keyof Task] !== undefined);
  const usual = MEMBERS.filter((name) => task[name] !== undefined);
  return task.contextId === '' || names.join() !== usual.join() ? JSON.stringify(names) : null;
}

function taskOf(row: TaskRow): Task {
  const all: Record<string, unknown> = {
    id: row.id,
    contextId: textOf(row.context_id),
    status: parsed(row.status),
    artifacts: parsed(row.artifacts),
    history: parsed(row.history),
    metadata: parsed(row.metadata),
  };
  const present = (name: string): boolean => all[name] !== undefined && all[name] !== '';
  const names =
    row.members === null ? MEMBERS.filter(present) : (JSON.parse(String(row.members)) as string[]);
  return Object.fromEntries(names.map((name) => [name, all[name]])) as unknown as Task;
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function parsed(json: string | null): unknown {
  return json === null ? undefined : JSON.parse(json);
}

function textOf(column: unknown): string {
  return fromText(String(column ?? ''));
}
