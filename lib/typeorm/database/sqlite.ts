import { codeOf, type Dialect } from './dialect.js';

const UNIQUE = ['SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE'];

export const SQLITE: Dialect = {
  name: 'sqlite',
  // A transaction that reads first and writes later could not be helped when another has written in between.
  begin: ['BEGIN IMMEDIATE'],
  singleConnection: true,
  placeholders: (sql) => sql,
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  jsonText: (column) => column,
  isUniqueViolation: (error) => UNIQUE.includes(String(codeOf(error))),
  isTransient: (error) => /^SQLITE_(?:BUSY|LOCKED)/.test(String(codeOf(error))),
  pauseMs: 1,
  isMissing: (error) => /no such (?:table|column)/.test(String(error)),
};
