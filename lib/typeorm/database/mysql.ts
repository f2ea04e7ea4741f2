import { codeOf, type Dialect } from './dialect.js';

const TRANSIENT = [
  'ER_LOCK_DEADLOCK',
  // MariaDB: the row has changed since the transaction's snapshot.
  'ER_CHECKREAD',
];

/** MySQL and MariaDB. */
export const MYSQL: Dialect = {
  name: 'mysql',
  // Under REPEATABLE READ, the default, a transaction goes on seeing what was there when it began.
  begin: ['SET TRANSACTION ISOLATION LEVEL READ COMMITTED', 'START TRANSACTION'],
  singleConnection: false,
  placeholders: (sql) => sql,
  quote: (identifier) => `\`${identifier.replaceAll('`', '``')}\``,
  jsonText: (column) => column,
  isUniqueViolation: (error) => codeOf(error) === 'ER_DUP_ENTRY',
  isTransient: (error) => TRANSIENT.includes(String(codeOf(error))),
  pauseMs: 10,
  isMissing: (error) => ['ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR'].includes(String(codeOf(error))),
};
