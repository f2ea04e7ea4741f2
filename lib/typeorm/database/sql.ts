import type { SqlRunner, SqlValue } from './database.js';

/** A piece of SQL and the values that stand for its question marks. Pieces nest: what is put into another brings its values along. */
export class Sql {
  constructor(
    readonly text: string,
    readonly values: readonly SqlValue[],
  ) {}
}

export function sql(texts: TemplateStringsArray, ...inserts: readonly (Sql | SqlValue)[]): Sql {
  const values: SqlValue[] = [];
  const text = texts.reduce((before, after, i) => {
    const insert = inserts[i - 1]!;
    if (!(insert instanceof Sql)) {
      values.push(insert);
      return `${before}?${after}`;
    }
    values.push(...insert.values);
    return before + insert.text + after;
  });
  return new Sql(text, values);
}

/** Text that is part of the statement: names and numbers of our own, never what a caller sent. */
export function raw(text: string | number): Sql {
  return new Sql(String(text), []);
}

/** The pieces with a comma between them. */
export function list(pieces: readonly Sql[]): Sql {
  return new Sql(
    pieces.map(({ text }) => text).join(', '),
    pieces.flatMap(({ values }) => values),
  );
}

/** That one of the conditions holds. */
export function anyOf(conditions: readonly Sql[]): Sql {
  return new Sql(
    conditions.map(({ text }) => `(${text})`).join(' OR '),
    conditions.flatMap(({ values }) => values),
  );
}

/** Values with a comma between them. */
export function valueList(values: readonly SqlValue[]): Sql {
  return new Sql(values.map(() => '?').join(', '), values);
}

export function rowsOf<Row>(runner: SqlRunner, { text, values }: Sql): Promise<Row[]> {
  return runner.rows<Row>(text, values);
}

/** Answers how many rows were inserted, changed or deleted. */
export function runOf(runner: SqlRunner, { text, values }: Sql): Promise<number> {
  return runner.run(text, values);
}
