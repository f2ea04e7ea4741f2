import { codeOf, type Dialect } from './dialect.js';

const UNIQUE_VIOLATION = '23505';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';

export const POSTGRES: Dialect = {
  name: 'postgres',
  begin: ['BEGIN ISOLATION LEVEL READ COMMITTED'],
  singleConnection: false,
  placeholders(sql) {
    let count = 0;
    return sql.replaceAll('?', () => `$${++count}`);
  },
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  jsonText: (column) => `${column}::text AS ${column}`,
  isUniqueViolation: (error) => codeOf(error) === UNIQUE_VIOLATION,
  isTransient: (error) => [SERIALIZATION_FAILURE, DEADLOCK].includes(String(codeOf(error))),
  pauseMs: 10,
  isMissing: (error) => [UNDEFINED_TABLE, UNDEFINED_COLUMN].includes(String(codeOf(error))),
};
