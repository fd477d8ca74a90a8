import { expect, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { CtEntryStore } from './ct-entry-store.ts';

const row = (index: number) => ({
  entry_index: index,
  leaf_hash: new Uint8Array(32).fill(index + 1),
  submission_hash: new Uint8Array(32).fill(index + 101),
  leaf_input: Uint8Array.of(index),
  extra_data: Uint8Array.of(),
  timestamp: 1_795_243_902_389 + index,
  signature: Uint8Array.of(7),
});

test('a submission is found by index, leaf hash and what was submitted, and never taken twice', async () => {
  const db = openDatabase(':memory:');
  const store = new CtEntryStore(db);
  await db.write(() => {
    for (const index of [0, 1, 2]) store.add(row(index));
  });
  for (const found of [
    store.findByIndex(1),
    store.findByLeafHash(row(1).leaf_hash),
    store.findBySubmission(row(1).submission_hash),
  ]) {
    expect({ ...found }).toEqual(row(1));
  }
  expect(store.range(1, 5).map(({ entry_index }) => entry_index)).toEqual([1, 2]);
  expect(store.range(0, 1).map(({ entry_index }) => entry_index)).toEqual([0]);
  expect([...store.rowsFrom(2)].map(({ entry_index }) => entry_index)).toEqual([2]);
  expect(store.findBySubmission(row(9).submission_hash)).toBeUndefined();
  await expect(db.write(() => store.add({ ...row(0), entry_index: 3, leaf_hash: row(8).leaf_hash }))).rejects.toThrow();
  db.close();
});
