import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Database } from '../../lib/typeorm/database/database.js';
import { openDatabase } from '../../lib/typeorm/open-database.js';
import { resolveTypeOrmOptions } from '../../lib/typeorm/typeorm-options.js';
import { lookThroughRows } from '../support/secrets/look-through-rows.js';
import { mariadbUrl, postgresUrl, uniqueName, withDatabase } from '../support/servers.js';

export type DatabaseKind = 'postgres' | 'mariadb' | 'sqlite';

/** A database of its own for some tests, which goes when they are done. */
export interface TestDatabase {
  readonly kind: DatabaseKind;
  /** Options of a DataSource, for `TypeOrmModule.forRoot()`. */
  readonly options: object;
  /** A new DataSource, connected, as an application has it; closed by `drop()` at the latest. */
  connect(options?: object): Promise<DataSource>;
  /** What the adapter makes of another DataSource: tables included, connections of its own. */
  open(options?: { readonly tablePrefix?: string }): Promise<Database>;
  /** Closes all connections and removes everything. */
  drop(): Promise<void>;
}

export async function createDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  const place = await PLACES[kind]();
  const sources: DataSource[] = [];
  const databases: Database[] = [];
  const connect = async (options: object = {}): Promise<DataSource> => {
    const source = new DataSource({ ...place.options, ...options } as never);
    sources.push(source);
    return source.initialize();
  };
  return {
    kind,
    options: place.options,
    connect,
    open: async ({ tablePrefix } = {}) => {
      const options = resolveTypeOrmOptions({ runMigrations: true }, { tablePrefix });
      const database = await openDatabase(await connect(), options);
      databases.push(database);
      return database;
    },
    drop: async () => {
      for (const database of databases) await database.close();
      for (const source of sources) if (source.isInitialized) await source.destroy();
      await lookThroughRows(place.options as DataSourceOptions);
      await place.remove();
    },
  };
}

interface Place {
  readonly options: object;
  remove(): Promise<void>;
}

const PLACES: Readonly<Record<DatabaseKind, () => Promise<Place>>> = {
  postgres: () =>
    onServer(
      { type: 'postgres', poolSize: 5 },
      postgresUrl(),
      (name) => `DROP DATABASE ${name} WITH (FORCE)`,
    ),
  mariadb: () => onServer({ type: 'mariadb', poolSize: 5 }, mariadbUrl(), (name) => `DROP DATABASE ${name}`),
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nest-a2a-'));
    return {
      options: { type: 'better-sqlite3', database: join(folder, 'test.db') },
      remove: () => rm(folder, { recursive: true }),
    };
  },
};

async function onServer(options: object, url: string, drop: (name: string) => string): Promise<Place> {
  const name = uniqueName('typeorm');
  const asAdministrator = async (statement: string): Promise<void> => {
    const source = await new DataSource({ ...options, url } as never).initialize();
    try {
      await source.query(statement);
    } finally {
      await source.destroy();
    }
  };
  await asAdministrator(`CREATE DATABASE ${name}`);
  return {
    options: { ...options, url: withDatabase(url, name) },
    remove: () => asAdministrator(drop(name)),
  };
}
