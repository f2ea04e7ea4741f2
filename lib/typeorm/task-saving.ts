import type { TaskRecord } from '../interfaces/task-store.js';
import { marks, type Database, type SqlValue } from './database/database.js';
import { TASKS } from './tables.js';
import { toRow } from './task-row.js';

/** How often a save begins anew because the row came or went between two of its statements. */
const MOST_ATTEMPTS = 10;

const OTHERS = TASKS.columns.filter((name) => name !== 'id');

/** Saves a snapshot when nothing newer is stored. What decides and what writes is one statement, whatever others do meanwhile. */
export class TaskSaving {
  readonly #tasks: string;

  constructor(private readonly database: Database) {
    this.#tasks = database.table('tasks');
  }

  /** False when a newer snapshot is stored. */
  async save(record: TaskRecord): Promise<boolean> {
    const row = toRow(record);
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      if (await this.#write(row)) return true;
      const stored = await this.#stored(record.task.id);
      // Else it was deleted, or put back, after the statement that found something newer.
      if (stored && !isOlder(stored, record)) return isSame(stored, record);
    }
    throw new Error(`Task ${record.task.id} could not be saved: it comes and goes`);
  }

  /** Whether the row was written. */
  #write(row: Readonly<Record<string, SqlValue>>): Promise<boolean> {
    return this.database.dialect.name === 'mysql' ? this.#updateOrInsert(row) : this.#upsert(row);
  }

  async #upsert(row: Readonly<Record<string, SqlValue>>): Promise<boolean> {
    const changed = await this.database.run(
      `INSERT INTO ${this.#tasks} AS stored (${TASKS.columns.join(', ')}) VALUES (${marks(TASKS.columns.length)})
       ON CONFLICT (id) DO UPDATE SET ${OTHERS.map((name) => `${name} = excluded.${name}`).join(', ')}
       WHERE stored.fence < excluded.fence OR (stored.fence = excluded.fence AND stored.sequence < excluded.sequence)`,
      TASKS.columns.map((name) => row[name]!),
    );
    return changed > 0;
  }

  /** MySQL has no condition for the update of an upsert. */
  async #updateOrInsert(row: Readonly<Record<string, SqlValue>>): Promise<boolean> {
    const { id, fence, sequence } = row as { id: string; fence: number; sequence: number };
    const changed = await this.database.run(
      `UPDATE ${this.#tasks} SET ${OTHERS.map((name) => `${name} = ?`).join(', ')}
       WHERE id = ? AND (fence < ? OR (fence = ? AND sequence < ?))`,
      [...OTHERS.map((name) => row[name]!), id, fence, fence, sequence],
    );
    if (changed > 0) return true;
    if (await this.#stored(id)) return false;
    try {
      await this.database.run(
        `INSERT INTO ${this.#tasks} (${TASKS.columns.join(', ')}) VALUES (${marks(TASKS.columns.length)})`,
        TASKS.columns.map((name) => row[name]!),
      );
      return true;
    } catch (error) {
      // Another was faster: what it has put there decides.
      if (this.database.isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async #stored(id: string): Promise<Version | undefined> {
    const sql = `SELECT fence, sequence FROM ${this.#tasks} WHERE id = ?`;
    const [row] = await this.database.rows<{ fence: unknown; sequence: unknown }>(sql, [id]);
    return row && { fence: Number(row.fence), sequence: Number(row.sequence) };
  }
}

interface Version {
  readonly fence: number;
  readonly sequence: number;
}

function isOlder(a: Version, b: Version): boolean {
  return a.fence < b.fence || (a.fence === b.fence && a.sequence < b.sequence);
}

function isSame(a: Version, b: Version): boolean {
  return a.fence === b.fence && a.sequence === b.sequence;
}
