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
  /** The error says that a row with this key exists already. */
  isUniqueViolation(error: unknown): boolean;
  /** The error says that others were in the way and nothing was done: a deadlock, a serialisation failure, a lock of SQLite. */
  isTransient(error: unknown): boolean;
  /** The error says that a table or a column is missing. */
  isMissing(error: unknown): boolean;
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
