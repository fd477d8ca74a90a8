import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

/** A database with a table `t (a INTEGER UNIQUE)` of one column of numbers. */
function numbers(file = ':memory:'): { db: Database; insert: (a: number) => void; rows: () => unknown[] } {
  const db = openDatabase(file);
  onTestFinished(() => db.close());
  db.migrate('test', ['CREATE TABLE t (a INTEGER UNIQUE) STRICT']);
  return {
    db,
    insert: (a) => void db.sqlite.prepare('INSERT INTO t VALUES (?)').run(a),
    rows: () =>
      db.sqlite
        .prepare('SELECT a FROM t ORDER BY a')
        .all()
        .map((row) => row['a']),
  };
}

/** Counts the transactions of `db` from now on. */
function countCommits(db: Database): () => number {
  let commits = 0;
  const exec = db.sqlite.exec.bind(db.sqlite);
  db.sqlite.exec = (sql) => {
    if (sql === 'COMMIT') commits++;
    exec(sql);
  };
  return () => commits;
}

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'fulfilled',
    (error) => error.code ?? error.name,
  );

describe('a write', () => {
  test('answers with what the work answers', async () => {
    const { db, insert, rows } = numbers();
    await expect(
      db.write(() => {
        insert(1);
        return 'done';
      }),
    ).resolves.toBe('done');
    await expect(db.write(() => undefined)).resolves.toBeUndefined();
    expect(rows()).toEqual([1]);
  });

  test('shares one transaction with the other writes of its turn', async () => {
    const { db, insert, rows } = numbers();
    const commits = countCommits(db);
    await Promise.all([1, 2, 3].map((a) => db.write(() => insert(a))));
    expect(commits()).toBe(1);
    await db.write(() => insert(4));
    expect(commits()).toBe(2);
    expect(rows()).toEqual([1, 2, 3, 4]);
  });

  test('is not fulfilled, and not seen by others, before its commit', async () => {
    const file = join(temporaryFolder(onTestFinished), 'db');
    const { db, insert } = numbers(file);
    const other = openDatabase(file, { readonly: true });
    onTestFinished(() => other.close());
    const count = () => other.sqlite.prepare('SELECT count(*) AS n FROM t').get()?.['n'];
    const seen: unknown[] = [];
    const first = db.write(() => insert(1)).then(() => seen.push(count()));
    const second = db.write(() => seen.push(count()));
    await Promise.all([first, second]);
    expect(seen).toEqual([0, 1]);
  });

  test('runs in the order in which it was asked for, not at once', async () => {
    const { db } = numbers();
    const order: string[] = [];
    const writes = [db.write(() => order.push('a')), db.write(() => order.push('b'))];
    order.push('asked');
    await Promise.all(writes);
    expect(order).toEqual(['asked', 'a', 'b']);
  });

  test('that throws is undone alone and rejects with its own error', async () => {
    const { db, insert, rows } = numbers();
    const mine = new Error('mine');
    const outcomes = await Promise.allSettled([
      db.write(() => insert(1)),
      db.write(() => {
        insert(2);
        throw mine;
      }),
      db.write(() => rows()),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: mine });
    expect(outcomes[2]).toMatchObject({ value: [1] });
    expect(rows()).toEqual([1]);
  });

  test('that throws as the only one of its turn leaves nothing, and the next is written', async () => {
    const { db, insert, rows } = numbers();
    const mine = new Error('mine');
    const alone = db.write(() => {
      insert(1);
      throw mine;
    });
    await expect(alone).rejects.toBe(mine);
    expect(rows()).toEqual([]);
    await db.write(() => insert(2));
    expect(rows()).toEqual([2]);
  });

  test('that breaks a constraint rejects with SQLite’s error and leaves the others', async () => {
    const { db, insert, rows } = numbers();
    const outcomes = await Promise.allSettled([1, 1, 2].map((a) => db.write(() => insert(a))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'ERR_SQLITE_ERROR' } });
    expect(rows()).toEqual([1, 2]);
  });

  test('may ask for another write, which comes in a later transaction', async () => {
    const { db, insert, rows } = numbers();
    let inner: Promise<void> | undefined;
    await db.write(() => {
      inner = db.write(() => insert(2));
      insert(1);
    });
    expect(rows()).toEqual([1]);
    await inner;
    expect(rows()).toEqual([1, 2]);
  });

  test('that is asynchronous is refused and undone', async () => {
    const { db, insert, rows } = numbers();
    const late = db.write(async () => {
      insert(1);
      throw new Error('nobody waits for this');
    });
    await expect(late).rejects.toThrow(TypeError);
    await nextTurn();
    expect(rows()).toEqual([]);
  });

  test('may neither flush nor close nor migrate, and spoils nothing by trying', async () => {
    const { db, insert, rows } = numbers();
    const outcomes = [
      code(db.write(() => insert(1))),
      code(db.write(() => db.flush())),
      code(db.write(() => db.close())),
      code(db.write(() => db.migrate('other', ['CREATE TABLE u (a)']))),
      code(db.write(() => insert(2))),
    ];
    expect(await Promise.all(outcomes)).toEqual([
      'fulfilled',
      'TypeError',
      'TypeError',
      'ERR_SQLITE_ERROR',
      'fulfilled',
    ]);
    expect(rows()).toEqual([1, 2]);
  });

  test('after the close is refused with store.closed', async () => {
    const { db, insert } = numbers();
    db.close();
    db.close();
    expect(await code(db.write(() => insert(1)))).toBe('store.closed');
  });

  test('that waits when the file is closed is committed first', async () => {
    const file = join(temporaryFolder(onTestFinished), 'db');
    const { db, insert } = numbers(file);
    const written = db.write(() => insert(1));
    db.close();
    await expect(written).resolves.toBeUndefined();
    const again = openDatabase(file);
    onTestFinished(() => again.close());
    expect(again.sqlite.prepare('SELECT a FROM t').all()).toHaveLength(1);
  });

  test('that is flushed needs no further turn', async () => {
    const { db, insert, rows } = numbers();
    const commits = countCommits(db);
    const written = db.write(() => insert(1));
    db.flush();
    expect(rows()).toEqual([1]);
    await written;
    db.flush();
    await nextTurn();
    expect(commits()).toBe(1);
  });
});

describe('a last write', () => {
  test('runs once after all writes of its turn, whoever asks first, and answers everybody', async () => {
    const { db, insert, rows } = numbers();
    const commits = countCommits(db);
    const seeAll = vi.fn(rows);
    const answers = await Promise.all([
      db.writeLast(seeAll),
      db.write(() => insert(1)),
      db.writeLast(seeAll),
      db.write(() => insert(2)),
    ]);
    expect(answers).toEqual([[1, 2], undefined, [1, 2], undefined]);
    expect(seeAll).toHaveBeenCalledTimes(1);
    expect(commits()).toBe(1);
    expect(await db.writeLast(seeAll)).toEqual([1, 2]);
    expect(seeAll).toHaveBeenCalledTimes(2);
  });

  test('of another function runs too, in the order in which they were asked for', async () => {
    const { db } = numbers();
    const order: string[] = [];
    await Promise.all(['a', 'b'].map((name) => db.writeLast(() => order.push(name))));
    expect(order).toEqual(['a', 'b']);
  });

  test('that throws undoes the whole turn', async () => {
    const { db, insert, rows } = numbers();
    const mine = new Error('mine');
    const fail = () => {
      throw mine;
    };
    const outcomes = await Promise.allSettled([db.write(() => insert(1)), db.writeLast(fail), db.writeLast(rows)]);
    expect(outcomes).toEqual(Array(3).fill({ status: 'rejected', reason: mine }));
    expect(rows()).toEqual([]);
    expect(await code(db.write(() => insert(2)))).toBe('fulfilled');
  });

  test('comes although a write of its turn was undone', async () => {
    const { db, insert, rows } = numbers();
    const outcomes = await Promise.allSettled([...[1, 1].map((a) => db.write(() => insert(a))), db.writeLast(rows)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[2]).toMatchObject({ value: [1] });
  });

  test('that is asynchronous, or comes after the close, is refused', async () => {
    const { db } = numbers();
    expect(await code(db.writeLast(() => Promise.reject(new Error('nobody waits for this'))))).toBe('TypeError');
    db.close();
    expect(await code(db.writeLast(() => 1))).toBe('store.closed');
  });
});

describe('a failing disk', () => {
  test('that is full rejects with store.unavailable, keeps nothing of the turn, and works again with room', async () => {
    const { db, insert, rows } = numbers();
    db.sqlite.exec('CREATE TABLE big (a BLOB)');
    const { page_count: pages } = db.sqlite.prepare('PRAGMA page_count').get() as { page_count: number };
    db.sqlite.exec(`PRAGMA max_page_count = ${pages}`);
    const fill = () => void db.sqlite.prepare('INSERT INTO big VALUES (zeroblob(100000))').run();
    const outcomes = await Promise.all([code(db.write(() => insert(1))), code(db.write(fill))]);
    expect(outcomes[1]).toBe('store.unavailable');
    // Whether SQLite ends the whole transaction or the statement alone: nobody is told of a write that is not there.
    expect(rows()).toEqual(outcomes[0] === 'fulfilled' ? [1] : []);
    db.sqlite.exec('PRAGMA max_page_count = 100000');
    expect(await code(db.write(fill))).toBe('fulfilled');
  });

  test('at the commit rejects every write of the turn and undoes them', async () => {
    const { db, insert, rows } = numbers();
    const exec = db.sqlite.exec.bind(db.sqlite);
    db.sqlite.exec = (sql) => {
      if (sql === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { errcode: 778 });
      exec(sql);
    };
    const outcomes = await Promise.all([code(db.write(() => insert(1))), code(db.write(() => insert(2)))]);
    expect(outcomes).toEqual(['store.unavailable', 'store.unavailable']);
    expect(rows()).toEqual([]);
    expect(db.sqlite.isTransaction).toBe(false);
    db.sqlite.exec = exec;
    expect(await code(db.write(() => insert(3)))).toBe('fulfilled');
  });

  test('that ends the whole transaction in one write rejects all of the turn', async () => {
    const { db, insert, rows } = numbers();
    const outcomes = await Promise.all([
      code(db.write(() => insert(1))),
      code(
        db.write(() => {
          db.sqlite.exec('ROLLBACK');
          throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
        }),
      ),
      code(db.write(() => insert(2))),
    ]);
    expect(outcomes).toEqual(['store.unavailable', 'store.unavailable', 'store.unavailable']);
    expect(rows()).toEqual([]);
  });

  test('held by another writer rejects with store.unavailable and spoils nothing', async () => {
    const file = join(temporaryFolder(onTestFinished), 'db');
    const { db, insert, rows } = numbers(file);
    db.sqlite.exec('PRAGMA busy_timeout = 1');
    const other = openDatabase(file);
    onTestFinished(() => other.close());
    other.sqlite.exec('BEGIN IMMEDIATE');
    expect(await code(db.write(() => insert(1)))).toBe('store.unavailable');
    other.sqlite.exec('COMMIT');
    expect(await code(db.write(() => insert(1)))).toBe('fulfilled');
    expect(rows()).toEqual([1]);
  });

  test('is a StoreError for readers too', () => {
    const { db } = numbers();
    const fail = () =>
      db.read(() => {
        throw Object.assign(new Error('malformed'), { errcode: 11 });
      });
    expect(fail).toThrow(expect.objectContaining({ code: 'store.corrupt' }));
    expect(db.read(() => 7)).toBe(7);
  });
});

describe('a file that is written anew', () => {
  test('has an empty log in the end, also while another process goes on writing and emptying it', async () => {
    const file = join(temporaryFolder(onTestFinished), 'db');
    const { db } = numbers(file);
    // So many that emptying the log takes its time.
    db.sqlite.exec(`WITH RECURSIVE n (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 100000)
      INSERT INTO t SELECT -a FROM n`);
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const code = `
      const { workerData: { file, stop }, parentPort } = require('node:worker_threads');
      const db = new (require('node:sqlite').DatabaseSync)(file, { timeout: 5000 });
      const insert = db.prepare('INSERT INTO t VALUES (?)');
      for (let a = 2; Atomics.load(stop, 0) === 0; a += 1) {
        insert.run(a);
        db.exec('PRAGMA wal_checkpoint(PASSIVE)');
        Atomics.wait(stop, 0, 0, 10);
        if (a === 2) parentPort.postMessage('started');
      }
      db.close();`;
    const other = new Worker(code, { eval: true, workerData: { file, stop } });
    await once(other, 'message');
    for (let round = 0; round < 40; round += 1) expect(() => db.rewrite()).not.toThrow();
    Atomics.store(stop, 0, 1);
    await once(other, 'exit');
  });

  test('says so where somebody still reads an older state', () => {
    const file = join(temporaryFolder(onTestFinished), 'db');
    const { db, insert } = numbers(file);
    insert(1);
    db.sqlite.exec('PRAGMA busy_timeout = 1');
    const reader = openDatabase(file, { readonly: true });
    onTestFinished(() => reader.close());
    reader.sqlite.exec('BEGIN');
    reader.sqlite.prepare('SELECT count(*) FROM t').get();
    insert(2);
    expect(() => db.rewrite()).toThrow(expect.objectContaining({ code: 'store.unavailable' }));
    reader.sqlite.exec('COMMIT');
    expect(() => db.rewrite()).not.toThrow();
  });
});

describe('a snapshot', () => {
  test('shows one moment while another process writes', async () => {
    const file = join(temporaryFolder(onTestFinished), 'db');
    const { insert } = numbers(file);
    const reader = openDatabase(file, { readonly: true });
    onTestFinished(() => reader.close());
    const count = () => Number(reader.sqlite.prepare('SELECT count(*) AS n FROM t').get()?.['n']);
    const seen = reader.snapshot(() => {
      const before = count();
      insert(1);
      return [before, count()];
    });
    expect(seen).toEqual([0, 0]);
    expect(count()).toBe(1);
    expect(reader.sqlite.isTransaction).toBe(false);
  });

  test('inside a write sees what that write did', async () => {
    const { db, insert, rows } = numbers();
    expect(
      await db.write(() => {
        insert(1);
        return db.snapshot(rows);
      }),
    ).toEqual([1]);
  });

  test('that fails ends its transaction', () => {
    const { db } = numbers();
    const fail = () =>
      db.snapshot(() => {
        throw new Error('mine');
      });
    expect(fail).toThrow('mine');
    expect(db.sqlite.isTransaction).toBe(false);
  });
});

describe('migrations', () => {
  const STEPS = ['CREATE TABLE a (x)', 'CREATE TABLE b (x)', 'ALTER TABLE b ADD COLUMN y'];
  const version = (db: Database, store: string) =>
    db.sqlite.prepare('SELECT version FROM schema_version WHERE store = ?').get(store)?.['version'];

  test('run once each, in order, from where the file is', () => {
    const { db } = numbers();
    db.migrate('s', STEPS.slice(0, 1));
    expect(version(db, 's')).toBe(1);
    db.migrate('s', STEPS);
    db.migrate('s', STEPS);
    expect(version(db, 's')).toBe(3);
    expect(db.sqlite.prepare('SELECT x, y FROM b').all()).toEqual([]);
  });

  test('of one store say nothing about another', () => {
    const { db } = numbers();
    db.migrate('s', ['CREATE TABLE a (x)']);
    db.migrate('r', ['CREATE TABLE c (x)']);
    expect([version(db, 's'), version(db, 'r'), version(db, 'test')]).toEqual([1, 1, 1]);
  });

  test('that fail halfway leave the file as it was', () => {
    const { db } = numbers();
    expect(() => db.migrate('s', ['CREATE TABLE a (x)', 'CREATE TABLE t (x)'])).toThrow();
    expect(version(db, 's')).toBeUndefined();
    expect(() => db.sqlite.prepare('SELECT * FROM a')).toThrow();
    expect(db.sqlite.isTransaction).toBe(false);
  });

  test('of a newer program are refused', () => {
    const { db } = numbers();
    db.migrate('s', STEPS);
    expect(() => db.migrate('s', STEPS.slice(0, 2))).toThrow(expect.objectContaining({ code: 'store.schema_newer' }));
    expect(version(db, 's')).toBe(3);
  });

  test('that were released go on from the first number that was', () => {
    const { db } = numbers();
    db.migrate('s', STEPS.slice(0, 1), 5);
    expect(version(db, 's')).toBe(5);
    db.migrate('s', STEPS, 5);
    expect(version(db, 's')).toBe(7);
    expect(db.changedTables()).toEqual([]);
    expect(() => db.migrate('s', STEPS.slice(0, 2), 5)).toThrow(
      expect.objectContaining({ code: 'store.schema_newer' }),
    );
  });

  test.each([1, 4])('of schema %i are refused where released ones begin with 5, and stay', (number) => {
    const { db } = numbers();
    db.migrate('s', STEPS.slice(0, 1), number);
    expect(() => db.migrate('s', STEPS, 5)).toThrow(expect.objectContaining({ code: 'store.schema_unreleased' }));
    expect(version(db, 's')).toBe(number);
    expect(db.sqlite.prepare('SELECT x FROM a').all()).toEqual([]);
  });

  test('are only checked where the file is opened for reading', () => {
    const file = join(temporaryFolder(onTestFinished), 'db');
    const { db } = numbers(file);
    db.migrate('s', STEPS.slice(0, 2));
    const reader = openDatabase(file, { readonly: true });
    onTestFinished(() => reader.close());
    expect(reader.readonly).toBe(true);
    expect(() => reader.migrate('s', STEPS.slice(0, 2))).not.toThrow();
    const missing = expect.objectContaining({ code: 'store.schema_missing' });
    expect(() => reader.migrate('s', STEPS)).toThrow(missing);
    expect(() => reader.migrate('never', STEPS)).toThrow(missing);
    expect(() => reader.migrate('s', STEPS.slice(0, 1))).toThrow(
      expect.objectContaining({ code: 'store.schema_newer' }),
    );
  });

  test('are missing in a file that never had any', () => {
    expect(new Database(new DatabaseSync(':memory:')).readonly).toBe(false);
    const db = new Database(new DatabaseSync(':memory:'), { readonly: true });
    onTestFinished(() => db.close());
    expect(() => db.migrate('s', STEPS)).toThrow(expect.objectContaining({ code: 'store.schema_missing' }));
    expect(() => db.migrate('s', [])).not.toThrow();
  });
});

test('a probe writes, and changes nothing', async () => {
  const { db, insert, rows } = numbers();
  await db.write(() => insert(1));
  db.sqlite.exec('PRAGMA user_version = 7');
  const commits = countCommits(db);
  await db.probe();
  expect([commits(), rows()]).toEqual([1, [1]]);
  expect(db.sqlite.prepare('PRAGMA user_version').get()).toEqual({ user_version: 7 });
  db.sqlite.exec('PRAGMA query_only = 1');
  expect(await code(db.probe())).toBe('store.unavailable');
});
