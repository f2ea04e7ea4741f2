import type { OnApplicationShutdown } from '@nestjs/common';
import type { DataSource, QueryRunner } from 'typeorm';
import type { Dialect } from './dialect.js';
import { retry } from './retry.js';
import { tableName } from './table-name.js';
import { Turns } from './turns.js';

/** A parameter of a statement. Not undefined, about which drivers disagree, and no object, which some take apart. */
export type SqlValue = string | number | Buffer | null;

/** Where statements are run. `?` stands for a parameter, on every database. */
export interface SqlRunner {
  /** The rows that a statement answers. Whole numbers may come as strings. */
  rows<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
  /** Runs a statement and answers how many rows it has inserted, changed or deleted. */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
}

/** Placeholders for so many values: `?, ?, ?`. */
export function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

export interface DatabaseOptions {
  readonly tablePrefix: string;
  /** How long to try again what met a lock or a deadlock, in ms. */
  readonly retryMs: number;
  /** Whether the DataSource is the adapter's own, to be closed with it. */
  readonly owned: boolean;
}

/**
 * The database of the stores and the log. Takes a connection for the length of a statement or a transaction only. What failed because others
 * were in the way is done again for a while; all other errors reject.
 */
export class Database implements SqlRunner, OnApplicationShutdown {
  readonly #turns = new Turns();

  constructor(
    readonly dataSource: DataSource,
    readonly dialect: Dialect,
    private readonly options: DatabaseOptions,
  ) {}

  get tablePrefix(): string {
    return this.options.tablePrefix;
  }

  /** Name of a table in statements, quoted: with the prefix and, where the DataSource has one, the schema. */
  table(name: string): string {
    return tableName(this.dataSource, this.dialect, this.tablePrefix + name);
  }

  rows<Row>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]> {
    return this.#connected((runner) => runner.rows<Row>(sql, parameters));
  }

  run(sql: string, parameters?: readonly SqlValue[]): Promise<number> {
    return this.#connected((runner) => runner.run(sql, parameters));
  }

  /**
   * Runs statements in one transaction, READ COMMITTED (on SQLite alone with the write lock). Rolls back when `work` throws, and throws the same.
   * `work` runs again when the transaction met a deadlock: it must change nothing but the database.
   */
  transaction<T>(work: (runner: SqlRunner) => Promise<T>): Promise<T> {
    return this.#connected(async (runner) => {
      await runner.begin();
      let result: T;
      try {
        result = await work(runner);
        await runner.run('COMMIT');
      } catch (error) {
        // The first error tells more than one of the rollback, which fails when the connection is gone.
        await runner.run('ROLLBACK').catch(() => undefined);
        throw error;
      }
      return result;
    });
  }

  isUniqueViolation(error: unknown): boolean {
    return this.dialect.isUniqueViolation(error);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  /** Closes the connection when it is the adapter's own. */
  async close(): Promise<void> {
    const close = async (): Promise<void> => {
      if (this.options.owned && this.dataSource.isInitialized) await this.dataSource.destroy();
    };
    await this.#turns.take(close);
  }

  #connected<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connected = async (): Promise<T> => {
      const runner = this.dataSource.createQueryRunner();
      try {
        return await work(new Connection(runner, this.dialect));
      } finally {
        await runner.release();
      }
    };
    const attempt = this.dialect.singleConnection ? () => this.#turns.take(connected) : connected;
    const { isTransient, pauseMs } = this.dialect;
    return retry(attempt, { mayPass: isTransient, forMs: this.options.retryMs, pauseMs });
  }
}

class Connection implements SqlRunner {
  constructor(
    private readonly runner: QueryRunner,
    private readonly dialect: Dialect,
  ) {}

  async begin(): Promise<void> {
    for (const statement of this.dialect.begin) await this.runner.query(statement);
  }

  async rows<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    const result = await this.runner.query(this.dialect.placeholders(sql), [...parameters], true);
    return result.records as Row[];
  }

  async run(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    const result = await this.runner.query(this.dialect.placeholders(sql), [...parameters], true);
    return result.affected ?? 0;
  }
}
