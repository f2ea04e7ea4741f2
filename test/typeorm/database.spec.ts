import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../lib/typeorm/database/database.js';
import { describeWithServer } from '../support/servers.js';
import { createDatabase, type DatabaseKind, type TestDatabase } from './databases.js';

describe('SQLite', () => describeDatabase('sqlite'));
describeWithServer('PostgreSQL', 'postgres', () => describeDatabase('postgres'));
describeWithServer('MariaDB', 'mariadb', () => describeDatabase('mariadb'));

function describeDatabase(kind: DatabaseKind): void {
  let place: TestDatabase;
  let database: Database;
  let other: Database;
  let table: string;

  beforeAll(async () => {
    place = await createDatabase(kind);
    database = await place.open();
    other = await place.open();
    table = database.table('counters');
    await database.run(`CREATE TABLE ${table} (id varchar(20) NOT NULL PRIMARY KEY, n integer NOT NULL)`);
  });
  afterAll(() => place?.drop());

  const valueOf = async (id: string): Promise<unknown> =>
    (await other.rows<{ n: unknown }>(`SELECT n FROM ${table} WHERE id = ?`, [id]))[0]?.n;

  it('answers rows, and how many a statement changed', async () => {
    expect(await database.run(`INSERT INTO ${table} (id, n) VALUES (?, ?), (?, ?)`, ['a', 1, 'b', 2])).toBe(
      2,
    );
    expect(await database.run(`UPDATE ${table} SET n = n + 1 WHERE n > ?`, [99])).toBe(0);
    expect(await database.run(`DELETE FROM ${table} WHERE id = ?`, ['b'])).toBe(1);
    expect(await database.rows(`SELECT id, n FROM ${table} WHERE id = ?`, ['a'])).toEqual([
      { id: 'a', n: 1 },
    ]);
    expect(await database.rows(`SELECT id FROM ${table} WHERE id = ?`, ['b'])).toEqual([]);
  });

  it('tells a key that is taken from other errors', async () => {
    const insert = `INSERT INTO ${table} (id, n) VALUES (?, ?)`;
    await database.run(insert, ['taken', 1]);
    const taken = await database.run(insert, ['taken', 1]).catch((error: unknown) => error);
    expect(database.isUniqueViolation(taken)).toBe(true);
    const wrong = await database.run('SELECT FROM WHERE').catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(Error);
    expect(database.isUniqueViolation(wrong)).toBe(false);
  });

  it('rolls a transaction back when it fails, and shows nothing of it before it is done', async () => {
    const failing = database.transaction(async (runner) => {
      await runner.run(`INSERT INTO ${table} (id, n) VALUES (?, ?)`, ['rolled', 1]);
      expect(await valueOf('rolled')).toBeUndefined();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await valueOf('rolled')).toBeUndefined();
    expect(await database.transaction((runner) => runner.rows(`SELECT 1 AS one`))).toEqual([{ one: 1 }]);
  });

  it('keeps the statements of transactions apart, in one process and between two', async () => {
    await database.run(`INSERT INTO ${table} (id, n) VALUES (?, ?)`, ['sum', 0]);
    const add = (one: Database) =>
      one.transaction(async (runner) => {
        await runner.run(`UPDATE ${table} SET n = n + 1 WHERE id = ?`, ['sum']);
        const [row] = await runner.rows<{ n: number }>(`SELECT n FROM ${table} WHERE id = ?`, ['sum']);
        // Others must not get between what was read and what is written.
        await runner.run(`UPDATE ${table} SET n = ? WHERE id = ?`, [row!.n + 1, 'sum']);
      });
    await Promise.all(Array.from({ length: 60 }, (_, i) => add(i % 2 ? database : other)));
    expect(await valueOf('sum')).toBe(120);
  });

  it('tries again after a deadlock', async () => {
    const lock = (one: Database, ids: readonly string[]) =>
      one.transaction(async (runner) => {
        for (const id of ids) await runner.run(`UPDATE ${table} SET n = n + 1 WHERE id = ?`, [id]);
      });
    await database.run(`INSERT INTO ${table} (id, n) VALUES (?, ?), (?, ?)`, ['left', 0, 'right', 0]);
    for (let round = 1; round <= 3; round++) {
      await Promise.all([lock(database, ['left', 'right']), lock(other, ['right', 'left'])]);
      expect([await valueOf('left'), await valueOf('right')]).toEqual([round * 2, round * 2]);
    }
  });
}
