/** What differs between the databases. Statements are written once, with `?` for parameters. */
export interface Dialect {
  readonly name: 'postgres' | 'mysql' | 'sqlite';
  /** Statements that begin a transaction whose every statement sees what others have committed before it. */
  readonly begin: readonly string[];
  /** All statements go through one connection, so a transaction has to have it for itself. */
  readonly singleConnection: boolean;
  /** The statement with the driver's own placeholders in place of `?`. */
  placeholders(sql: string): string;
  quote(identifier: string): string;
  /** A column of JSON in a SELECT, as the text that was written: some drivers would parse it, and an application may have changed how. */
  jsonText(column: string): string;
  /** The error says that a row with this key exists already. */
  readonly isUniqueViolation: (error: unknown) => boolean;
  /** The error says that others were in the way and nothing was done: a deadlock, a serialisation failure, a lock of SQLite. */
  readonly isTransient: (error: unknown) => boolean;
  /** How long to wait at most before what met a transient error is tried again for the first time, in ms. */
  readonly pauseMs: number;
  /** The error says that a table or a column is missing. */
  readonly isMissing: (error: unknown) => boolean;
}

/** The code that the driver gave an error, which TypeORM wraps. */
export function codeOf(error: unknown): string | number | undefined {
  const { driverError, code, errno } = (error ?? {}) as {
    driverError?: unknown;
    code?: string;
    errno?: number;
  };
  return driverError ? codeOf(driverError) : (code ?? errno);
}
