import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../lib/typeorm/database/database.js';
import { onEachDatabase } from './on-each-database.js';

onEachDatabase('Database', (databases) => {
  let database: Database;
  let other: Database;
  let table: string;

  beforeAll(async () => {
    database = databases.database();
    other = databases.other();
    table = database.table('counters');
    await database.run(`CREATE TABLE ${table} (id varchar(20) NOT NULL PRIMARY KEY, n integer NOT NULL)`);
  });

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
    let attempts = 0;
    const lock = (one: Database, [first, second]: readonly [string, string]) =>
      one.transaction(async (runner) => {
        attempts += 1;
        await runner.run(`UPDATE ${table} SET n = n + 1 WHERE id = ?`, [first]);
        // Where two can write at once, each has a row before it wants the other's.
        if (attempts <= 2 && !one.dialect.singleConnection) await both.arrive();
        await runner.run(`UPDATE ${table} SET n = n + 1 WHERE id = ?`, [second]);
      });
    const both = meeting(2);
    await database.run(`INSERT INTO ${table} (id, n) VALUES (?, ?), (?, ?)`, ['left', 0, 'right', 0]);
    await Promise.all([lock(database, ['left', 'right']), lock(other, ['right', 'left'])]);
    expect([await valueOf('left'), await valueOf('right')]).toEqual([2, 2]);
    if (!database.dialect.singleConnection) expect(attempts).toBeGreaterThan(2);
  });
});

/** Lets all go on when so many have arrived. */
function meeting(size: number): { arrive(): Promise<void> } {
  let go = (): void => undefined;
  const all = new Promise<void>((resolve) => (go = resolve));
  let arrived = 0;
  return {
    arrive: () => {
      if (++arrived === size) go();
      return all;
    },
  };
}
