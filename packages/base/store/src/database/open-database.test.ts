import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const fails = (code: string) => expect.objectContaining({ name: 'StoreError', code });

function opened(file: string, options?: { readonly?: boolean }): Database {
  const db = openDatabase(file, options);
  onTestFinished(() => db.close());
  return db;
}

/** Where the open file handles of this process lead. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((handle) => {
    try {
      return [readlinkSync(`/proc/self/fd/${handle}`)];
    } catch {
      return []; // The handle of the listing itself.
    }
  });
}

/** A closed database file of many pages. */
function filled(): string {
  const file = join(temporaryFolder(onTestFinished), 'db');
  const db = openDatabase(file);
  db.migrate('test', ['CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)']);
  db.sqlite.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
     INSERT INTO t SELECT i, hex(zeroblob(40)) FROM n`,
  );
  db.close();
  return file;
}

test('a new file and its folders are their owner’s alone, side files too', async () => {
  const folder = join(temporaryFolder(onTestFinished), 'data', 'inner');
  const db = opened(join(folder, 'db'));
  await db.write(() => db.sqlite.exec('CREATE TABLE t (a)'));
  expect(mode(folder)).toBe('700');
  for (const name of ['db', 'db-wal', 'db-shm']) expect(mode(join(folder, name))).toBe('600');
});

test('the mode does not depend on the process’s mask', () => {
  const file = join(temporaryFolder(onTestFinished), 'data', 'db');
  const program = `
    import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, 'open-database.ts'))};
    openDatabase(process.argv[1]).close();`;
  const command = [process.execPath, '--input-type=module', '-e', program, file];
  execFileSync('sh', ['-c', 'umask 000; exec "$@"', 'sh', ...command]);
  expect(mode(file)).toBe('600');
  expect(mode(join(file, '..'))).toBe('700');
});

test('writes are durable: write-ahead log, synchronous in full', () => {
  const { sqlite } = opened(join(temporaryFolder(onTestFinished), 'db'));
  expect(sqlite.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(sqlite.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  expect(sqlite.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 5000 });
});

test('a database in memory leaves no file', () => {
  opened(':memory:').migrate('test', ['CREATE TABLE t (a)']);
  expect(existsSync(':memory:')).toBe(false);
});

test('what was written is there after closing and opening', () => {
  const db = opened(filled());
  expect(db.readonly).toBe(false);
  expect(db.sqlite.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 2000 });
});

test('processes that make one file at the same moment all open it', async () => {
  const folder = temporaryFolder(onTestFinished);
  const script = fileURLToPath(new URL('../../test/open-when-told.ts', import.meta.url));
  const openers = Array.from({ length: 4 }, () => fork(script));
  onTestFinished(() => {
    for (const one of openers) one.kill();
  });
  await Promise.all(openers.map((one) => once(one, 'message')));
  const wrong: string[] = [];
  for (let round = 0; round < 100; round++) {
    const answers = openers.map((one) => once(one, 'message'));
    for (const one of openers) one.send(join(folder, `${round}.db`));
    wrong.push(...(await Promise.all(answers)).map(([said]) => said).filter((one) => one !== ''));
  }
  expect(wrong).toEqual([]);
});

test('opened for reading, a file is read beside its writer and not written', async () => {
  const file = filled();
  const writer = opened(file);
  const reader = opened(file, { readonly: true });
  await writer.write(() => writer.sqlite.exec('DELETE FROM t WHERE a > 10'));
  expect(reader.sqlite.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 10 });
  const attempt = reader.write(() => reader.sqlite.exec('DELETE FROM t'));
  await expect(attempt).rejects.toEqual(fails('store.unavailable'));
});

test('opened for reading, a file that is not there is not made', () => {
  const file = join(temporaryFolder(onTestFinished), 'none', 'db');
  expect(() => openDatabase(file, { readonly: true })).toThrow(fails('store.unavailable'));
  expect(existsSync(join(file, '..'))).toBe(false);
});

test('a folder in the file’s place is store.unavailable', () => {
  const file = join(temporaryFolder(onTestFinished), 'db');
  mkdirSync(file);
  expect(() => openDatabase(file)).toThrow(fails('store.unavailable'));
});

test('a file in the folder’s place is store.unavailable, with the system’s own error as cause', () => {
  const file = join(temporaryFolder(onTestFinished), 'db');
  writeFileSync(file, '');
  const cause = expect.objectContaining({ code: 'EEXIST' });
  expect(() => openDatabase(join(file, 'db'))).toThrow(
    expect.objectContaining({ name: 'StoreError', code: 'store.unavailable', cause }),
  );
});

test.skipIf(process.platform !== 'linux')('nothing stays open of a file that was closed or refused', () => {
  const file = filled();
  const isOpen = () => openFiles().some((path) => path.startsWith(join(file, '..')));
  openDatabase(join(file, '..', 'new', 'db')).close();
  expect(isOpen()).toBe(false);
  const db = openDatabase(file);
  expect(isOpen()).toBe(true);
  db.close();
  expect(isOpen()).toBe(false);
  truncateSync(file, statSync(file).size - 8192);
  expect(() => openDatabase(file)).toThrow(fails('store.corrupt'));
  expect(isOpen()).toBe(false);
});

test('a file that is no database is store.corrupt', () => {
  const file = join(temporaryFolder(onTestFinished), 'db');
  writeFileSync(file, 'not a database, but long enough to have a header'.repeat(100));
  for (const readonly of [false, true]) expect(() => openDatabase(file, { readonly })).toThrow(fails('store.corrupt'));
});

test('a torn page anywhere is store.corrupt', () => {
  const original = filled();
  const pages = statSync(original).size / 4096;
  expect(pages).toBeGreaterThan(10);
  for (let page = 1; page < pages; page++) {
    const file = `${original}-${page}`;
    copyFileSync(original, file);
    const handle = openSync(file, 'r+');
    // Half of the page was never written.
    writeSync(handle, new Uint8Array(2048), 0, 2048, page * 4096);
    closeSync(handle);
    for (const readonly of [false, true])
      expect(() => openDatabase(file, { readonly }), `page ${page}`).toThrow(fails('store.corrupt'));
  }
});

test('a file that lost its end is store.corrupt', () => {
  const file = filled();
  truncateSync(file, statSync(file).size - 8192);
  expect(() => openDatabase(file)).toThrow(fails('store.corrupt'));
});

test('a damaged file is not touched', () => {
  const file = filled();
  truncateSync(file, statSync(file).size - 8192);
  const before = readFileSync(file);
  expect(() => openDatabase(file)).toThrow();
  expect(readFileSync(file).equals(before)).toBe(true);
});
