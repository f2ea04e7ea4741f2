import type { Dialect } from '../database/dialect.js';

/** Types of columns on one database, for the statements of migrations. */
export interface ColumnTypes {
  /** Text that is compared byte by byte, without padding. At most 255 characters. */
  readonly key: string;
  /** Text of ASCII characters only, compared byte by byte. */
  ascii(length: number): string;
  /** Text of any length. */
  readonly text: string;
  /** JSON that is kept as it was written: order and escapes survive. */
  readonly json: string;
  readonly bytes: string;
  /** Date and time without a zone, to the microsecond. */
  readonly moment: string;
}

/** What the statements of a migration are made from. */
export interface MigrationContext {
  readonly dialect: Dialect['name'];
  readonly types: ColumnTypes;
  /** What follows the closing parenthesis of CREATE TABLE. */
  readonly tableOptions: string;
  /** Quoted name of a table, with prefix and schema. */
  table(name: string): string;
  /** Quoted name of an index, with the prefix. */
  index(name: string): string;
  /** Names of the columns that a table has. */
  columnsOf(name: string): Promise<readonly string[]>;
}

/** One change of the tables. It is never edited after a release; the next change is another migration. */
export interface TablesMigration {
  /** Without prefix and timestamp. */
  readonly name: string;
  /** Ms since the epoch: migrations run in this order. */
  readonly timestamp: number;
  /** The statements to run. What they make may be there already: the module and the application each note what they have run. */
  up(context: MigrationContext): string[] | Promise<string[]>;
  down(context: MigrationContext): string[];
}

export function columnTypes(dialect: Dialect['name']): ColumnTypes {
  switch (dialect) {
    case 'postgres':
      return {
        key: 'varchar(255) COLLATE "C"',
        ascii: (length) => `varchar(${length}) COLLATE "C"`,
        text: 'text',
        json: 'json',
        bytes: 'bytea',
        moment: 'timestamp(6)',
      };
    case 'mysql':
      return {
        key: 'varchar(255)',
        ascii: (length) => `varchar(${length}) CHARACTER SET ascii COLLATE ascii_bin`,
        text: 'longtext',
        // The JSON type of MySQL sorts keys, and refuses what JSON allows.
        json: 'longtext',
        bytes: 'longblob',
        moment: 'datetime(6)',
      };
    case 'sqlite':
      return {
        key: 'varchar(255)',
        ascii: (length) => `varchar(${length})`,
        text: 'text',
        json: 'json',
        bytes: 'blob',
        moment: 'datetime',
      };
  }
}
