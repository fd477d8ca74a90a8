import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { StoreError, storeErrorOf } from './store-error.ts';

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('from SQLite'), { code: 'ERR_SQLITE_ERROR', errcode });
}

test.each([
  [3, 'PERM'],
  [5, 'BUSY'],
  [6, 'LOCKED'],
  [7, 'NOMEM'],
  [8, 'READONLY'],
  [10, 'IOERR'],
  [13, 'FULL'],
  [14, 'CANTOPEN'],
  [23, 'AUTH'],
  [778, 'IOERR_WRITE'],
  [1544, 'READONLY_DIRECTORY'],
])('result code %i (%s) means that the store is unavailable', (errcode) => {
  const cause = sqliteError(errcode);
  expect(storeErrorOf(cause)).toMatchObject({ code: 'store.unavailable', cause });
});

test.each([
  [11, 'CORRUPT'],
  [26, 'NOTADB'],
  [267, 'CORRUPT_VTAB'],
])('result code %i (%s) means that the file is damaged', (errcode) => {
  const cause = sqliteError(errcode);
  expect(storeErrorOf(cause)).toMatchObject({ code: 'store.corrupt', cause });
});

test('a constraint, a wrong statement and what is not SQLite’s come back as they are', () => {
  const errors = [sqliteError(19), sqliteError(2067), sqliteError(1), new Error('x'), 'text', undefined, null];
  errors.push(Object.assign(new Error('x'), { errcode: '13' }), new StoreError('store.fork', 'x'));
  for (const error of errors) expect(storeErrorOf(error)).toBe(error);
  expect(storeErrorOf({ errcode: 13 })).toEqual({ errcode: 13 });
});

test('a real error of SQLite has the field that is read', () => {
  const db = new DatabaseSync(':memory:');
  db.exec('PRAGMA max_page_count = 1');
  let thrown: unknown;
  try {
    db.exec('CREATE TABLE t (a)');
  } catch (error) {
    thrown = error;
  }
  expect(storeErrorOf(thrown)).toMatchObject({ code: 'store.unavailable', name: 'StoreError' });
});

test('codes are listed once and begin with the name of the package', () => {
  expect(new Set(StoreError.codes).size).toBe(StoreError.codes.length);
  for (const code of StoreError.codes) expect(code).toMatch(/^store\.[a-z_]+$/);
});
