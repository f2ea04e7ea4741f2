import type { DataSource } from 'typeorm';

/** What is used of a client of the driver `pg`. */
export interface PgClient {
  connect(): Promise<void>;
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
}

/** What is used of the pool of a DataSource. */
export interface PgPool {
  readonly options: { readonly password?: unknown };
  readonly Client: new (options: object) => PgClient;
  on(event: 'connect', listener: (client: PgClient) => void): unknown;
}

/** The pool from which a DataSource takes connections that may write. */
export function poolOf(dataSource: DataSource): PgPool {
  return (dataSource.driver as unknown as { readonly master: PgPool }).master;
}

/**
 * Keeps the process alive when a connection breaks as soon as it is made. The pool stops listening for errors when it hands a client out, and
 * TypeORM begins to a turn later: an error that comes in one packet with the greeting has no listener then, and Node ends the process.
 */
export function survivePoolErrors(dataSource: DataSource): void {
  poolOf(dataSource).on('connect', (client) => client.on('error', () => {}));
}
