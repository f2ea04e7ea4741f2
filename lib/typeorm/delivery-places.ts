import { anyOf, sql, valueList, type Sql } from './database/sql.js';
import type { Dialect } from './database/dialect.js';
import { keyOf } from './push-delivery-row.js';

/** Most ranges in one statement: the time that PostgreSQL takes to plan grows with their square. */
const RANGES = 100;

/**
 * That a delivery leads to none of these places. What lies between them are ranges of an index, so it does not matter how many deliveries wait
 * for one of them; PostgreSQL has to be told so.
 */
export function elsewhereThan(places: ReadonlySet<string>, dialect: Dialect['name']): Sql {
  const keys = [...places].map(keyOf);
  const elsewhere = sql`delivery_place NOT IN (${valueList(keys)})`;
  return dialect === 'postgres' ? sql`${elsewhere} AND (${between(keys.slice(0, RANGES))})` : elsewhere;
}

function between(keys: readonly string[]): Sql {
  // In no order would anything be missed; in this one nothing is found twice.
  const sorted = keys.toSorted();
  return anyOf([
    sql`delivery_place < ${sorted[0]!}`,
    ...sorted.slice(1).map((key, i) => sql`delivery_place > ${sorted[i]!} AND delivery_place < ${key}`),
    sql`delivery_place > ${sorted.at(-1)!}`,
  ]);
}
