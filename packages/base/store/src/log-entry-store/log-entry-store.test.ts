import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { LogEntryStore } from './log-entry-store.ts';

let db: Database;
let store: LogEntryStore;
beforeEach(() => {
  db = openDatabase(':memory:');
  store = new LogEntryStore(db);
});
afterEach(() => db.close());

const row = (index: number) => ({
  log_index: index,
  leaf_hash: new Uint8Array(32).fill(index + 1),
  body: Uint8Array.of(index),
  promise: new Uint8Array(70).fill(index),
  integrated_time: 1000 + index,
});

const addThree = () =>
  db.write(() => {
    for (const index of [0, 1, 2]) store.add(row(index), ['all', `only-${index}`, 'all']);
  });

test('an entry is found by index, by leaf hash and by each of its keys, oldest first', async () => {
  await addThree();
  expect({ ...store.findByIndex(1) }).toEqual(row(1));
  expect({ ...store.findByLeafHash(row(2).leaf_hash) }).toEqual(row(2));
  expect(store.search(['all'], { limit: 2 }).map(({ log_index }) => log_index)).toEqual([0, 1]);
  expect(store.search(['only-0'], { limit: 10 }).map(({ leaf_hash }) => leaf_hash)).toEqual([row(0).leaf_hash]);
  expect([...store.rowsFrom(1)].map(({ log_index }) => log_index)).toEqual([1, 2]);
  expect([store.findByIndex(3), store.findByLeafHash(row(3).leaf_hash), store.search(['none'], { limit: 1 })]).toEqual([
    undefined,
    undefined,
    [],
  ]);
});

test('several keys find what any of them finds, or what all of them find, before anything is cut off', async () => {
  await db.write(() => {
    for (let index = 0; index < 9; index += 1) {
      store.add(row(index), ['flooded', ...(index === 6 ? ['rare', 'common'] : []), ...(index > 3 ? ['common'] : [])]);
    }
  });
  const found = (keys: string[], limit: number, all = false) =>
    store.search(keys, { limit, all }).map(({ log_index }) => log_index);
  expect(found(['flooded', 'rare'], 3, true)).toEqual([6]);
  expect(found(['rare', 'flooded', 'common'], 3, true)).toEqual([6]);
  expect(found(['flooded', 'common'], 3, true)).toEqual([4, 5, 6]);
  expect(found(['common', 'rare'], 3)).toEqual([4, 5, 6]);
  expect(found(['rare', 'flooded'], 3)).toEqual([0, 1, 2]);
  expect(found(['flooded', 'none'], 3, true)).toEqual([]);
  expect([found([], 3), found([], 3, true)]).toEqual([[], []]);
});

test('an index or a leaf is never taken twice', async () => {
  await addThree();
  await expect(db.write(() => store.add({ ...row(2), leaf_hash: row(5).leaf_hash }, []))).rejects.toThrow();
  await expect(db.write(() => store.add({ ...row(2), log_index: 3 }, []))).rejects.toThrow();
});

test('the tree’s number is drawn once', () => {
  expect(store.knownTreeId()).toBeUndefined();
  const largest = 2n ** 63n - 1n;
  expect(store.treeId(() => largest)).toBe(largest);
  expect(new LogEntryStore(db).treeId(() => 7n)).toBe(largest);
});
