// What every SqlDatabase promises: run on SQLite and on PostgreSQL.
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqlDatabase, type SqlDatabase } from '../src/index.ts';

/** The code that a promise is rejected with, or `fulfilled`. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'fulfilled',
    (error) => error.code ?? error.name,
  );
}

/** A connection of its own to the database of this address, closed after the test. */
export async function connected(address: string): Promise<SqlDatabase> {
  const db = await openSqlDatabase(address);
  onTestFinished(() => db.close());
  return db;
}

/** `freshAddress` gives the address of an empty database, another one each time. */
export function sqlDatabaseContract(freshAddress: () => string): void {
  /** An empty table `t (name, size, content)`, and two connections to it. */
  async function table() {
    const address = freshAddress();
    const [db, other] = [await connected(address), await connected(address)];
    await db.migrate('test', ['CREATE TABLE t (name TEXT PRIMARY KEY, size BIGINT, content BYTES)']);
    const insert = (name: string, size: number | null = null, content: Uint8Array | null = null) => ({
      text: 'INSERT INTO t VALUES (?, ?, ?)',
      values: [name, size, content],
    });
    const names = async (from = db) =>
      (await from.all({ text: 'SELECT name FROM t ORDER BY size, name' })).map(({ name }) => name);
    return { address, db, other, insert, names };
  }

  describe('values', () => {
    test('come back as they went in', async () => {
      const { db, insert } = await table();
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      const text = 'é ’ 🤖 \\ \' " ? $1 \n\t {}';
      await db.write([
        insert(text, Number.MAX_SAFE_INTEGER, bytes),
        insert('b', Number.MIN_SAFE_INTEGER, new Uint8Array()),
        insert('c'),
      ]);
      expect([...(await db.all({ text: 'SELECT * FROM t ORDER BY size' }))].map((found) => ({ ...found }))).toEqual(
        expect.arrayContaining([
          { name: text, size: Number.MAX_SAFE_INTEGER, content: bytes },
          { name: 'b', size: Number.MIN_SAFE_INTEGER, content: new Uint8Array() },
          { name: 'c', size: null, content: null },
        ]),
      );
      const [found] = await db.all({ text: 'SELECT content FROM t WHERE name = ?', values: [text] });
      expect(Object.getPrototypeOf(found?.['content'])).toBe(Uint8Array.prototype);
    });

    test('that are counted or compared are numbers', async () => {
      const { db, insert } = await table();
      await db.write([insert('a', 2 ** 40), insert('b', 2)]);
      const text = 'SELECT count(*) AS n, sum(size) AS total, max(size) > 2 AS more FROM t';
      expect({ ...(await db.all({ text }))[0] }).toEqual({ n: 2, total: 2 ** 40 + 2, more: 1 });
    });

    test('a number that no number here can hold is an error, and not another number', async () => {
      const { db } = await table();
      await db.write([{ text: "INSERT INTO t VALUES ('a', 9007199254740993, NULL)" }]);
      await expect(db.all({ text: 'SELECT size FROM t' })).rejects.toThrow(RangeError);
    });

    test('a question mark in a literal, a name or a comment stands for no value', async () => {
      const { db } = await table();
      const text = "SELECT 'a?''?' AS \"b?\", CAST(? AS TEXT) AS c -- ?\n";
      expect({ ...(await db.all({ text, values: ['v'] }))[0] }).toEqual({ 'b?': "a?'?", c: 'v' });
    });

    test('are values, whatever they spell', async () => {
      const { db, insert, names } = await table();
      const name = "'); DROP TABLE t; --";
      await db.write([insert(name)]);
      expect(await names()).toEqual([name]);
    });
  });

  describe('a write', () => {
    test('tells how many rows each statement changed', async () => {
      const { db, insert } = await table();
      await db.write([insert('a', 1), insert('b', 1), insert('c', 2)]);
      const resize = (size: number) => ({ text: 'UPDATE t SET size = 9 WHERE size = ?', values: [size] });
      expect(await db.write([resize(1), resize(5), resize(2)])).toEqual([2, 0, 1]);
      expect(await db.write([])).toEqual([]);
    });

    test('is seen by other connections once it is fulfilled', async () => {
      const { db, other, insert, names } = await table();
      await db.write([insert('a')]);
      expect(await names(other)).toEqual(['a']);
    });

    test('that finds another number of rows than it says is undone as a whole', async () => {
      const { db, insert, names } = await table();
      await db.write([insert('a', 1)]);
      const change = { text: 'UPDATE t SET size = 2 WHERE name = ?', values: ['b'], changes: 1 };
      expect(await codeOf(db.write([insert('c'), change]))).toBe('store.conflict');
      expect(await codeOf(db.write([insert('c'), { ...change, values: ['a'], changes: 2 }]))).toBe('store.conflict');
      expect(await names()).toEqual(['a']);
      expect(await codeOf(db.write([{ ...change, values: ['a'] }]))).toBe('fulfilled');
    });

    test('of a row that is there is a conflict, undone as a whole', async () => {
      const { db, insert, names } = await table();
      await db.write([insert('a')]);
      expect(await codeOf(db.write([insert('b'), insert('a')]))).toBe('store.conflict');
      expect(await names()).toEqual(['a']);
    });

    test('with a wrong statement is undone, and the database goes on', async () => {
      const { db, insert, names } = await table();
      const wrong = await codeOf(db.write([insert('a'), { text: 'INSERT INTO nowhere VALUES (1)' }]));
      expect(wrong).not.toBe('fulfilled');
      expect(wrong).not.toMatch(/^store\./);
      await db.write([insert('b')]);
      expect(await names()).toEqual(['b']);
    });

    test('beside others keeps its own outcome', async () => {
      const { db, other, insert, names } = await table();
      const writes = Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? db : other).write([insert(`n${i % 10}`, i % 10), insert(`m${i}`, 100)]),
      );
      const outcomes = await Promise.all(writes.map(codeOf));
      expect(outcomes.filter((code) => code === 'fulfilled')).toHaveLength(10);
      expect(outcomes.filter((code) => code === 'store.conflict')).toHaveLength(10);
      expect(await names()).toHaveLength(20);
    });

    test('of two who read the same revision one changes it', async () => {
      const { db, other, insert } = await table();
      await db.write([insert('a', 0)]);
      const next = { text: 'UPDATE t SET size = size + 1 WHERE name = ? AND size = ?', values: ['a', 0], changes: 1 };
      const outcomes = await Promise.all([db, other, db, other].map((one) => codeOf(one.write([next]))));
      expect(outcomes.sort()).toEqual(['fulfilled', ...Array(3).fill('store.conflict')]);
      expect((await db.all({ text: 'SELECT size FROM t' }))[0]).toMatchObject({ size: 1 });
    });

    test('after the close is refused, and so is a question; closing twice is no error', async () => {
      const { db, insert } = await table();
      await db.close();
      await db.close();
      expect(await codeOf(db.write([insert('a')]))).toBe('store.closed');
      expect(await codeOf(db.all({ text: 'SELECT 1' }))).toBe('store.closed');
      expect(await codeOf(db.migrate('test', []))).toBe('store.closed');
    });
  });

  describe('steps of a store', () => {
    test('are done once each, whoever asks', async () => {
      const { db, other, insert, names } = await table();
      await db.write([insert('a')]);
      const steps = [
        'CREATE TABLE u (a BIGINT)',
        'ALTER TABLE u ADD COLUMN b BYTES; ALTER TABLE t ADD COLUMN more TEXT',
      ];
      await Promise.all([db.migrate('u', steps), other.migrate('u', steps), db.migrate('u', steps)]);
      await other.migrate('u', steps);
      expect(await names()).toEqual(['a']);
      expect(await db.all({ text: 'SELECT a, b FROM u' })).toEqual([]);
    });

    test('that fail leave nothing behind', async () => {
      const { db } = await table();
      expect(await codeOf(db.migrate('u', ['CREATE TABLE u (a BIGINT)', 'nonsense']))).not.toBe('fulfilled');
      expect(await codeOf(db.all({ text: 'SELECT * FROM u' }))).not.toBe('fulfilled');
      await db.migrate('u', ['CREATE TABLE u (a BIGINT)']);
    });

    test('of a newer program are not undone by an older one', async () => {
      const { db } = await table();
      await db.migrate('u', ['CREATE TABLE u (a BIGINT)', 'ALTER TABLE u ADD COLUMN b BIGINT']);
      expect(await codeOf(db.migrate('u', ['CREATE TABLE u (a BIGINT)']))).toBe('store.schema_newer');
    });

    test('go on from the first number that was released, and lower ones are refused', async () => {
      const { db } = await table();
      const steps = ['CREATE TABLE u (a BIGINT)', 'ALTER TABLE u ADD COLUMN b BIGINT'];
      await db.migrate('u', steps.slice(0, 1), 3);
      await db.migrate('u', steps, 3);
      expect(await db.all({ text: 'SELECT a, b FROM u' })).toEqual([]);
      expect(await codeOf(db.migrate('u', steps.slice(0, 1), 3))).toBe('store.schema_newer');
      expect(await codeOf(db.migrate('u', steps, 5))).toBe('store.schema_unreleased');
    });

    test('of a newer program end the writes of an older one that is still open', async () => {
      const address = freshAddress();
      const [older, newer] = [await connected(address), await connected(address)];
      const steps = ['CREATE TABLE u (a BIGINT)'];
      const insert = [{ text: 'INSERT INTO u (a) VALUES (?)', values: [1] }];
      await older.migrate('u', steps);
      await older.write(insert);
      await newer.migrate('u', [...steps, 'ALTER TABLE u ADD COLUMN b BIGINT']);
      expect(await codeOf(older.write(insert))).toBe('store.schema_newer');
      await newer.write(insert);
      expect(await newer.all({ text: 'SELECT a FROM u' })).toHaveLength(2);
    });
  });
}
