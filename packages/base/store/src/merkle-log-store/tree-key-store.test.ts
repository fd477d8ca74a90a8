import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { TreeKeyStore } from './tree-key-store.ts';

test('a tree keeps the key that was pinned first, and no other tree has it', async () => {
  const db = openDatabase(':memory:');
  onTestFinished(() => db.close());
  const store = new TreeKeyStore(db);
  expect(store.find('rekor')).toBeUndefined();
  await store.pin('rekor', new Uint8Array(32).fill(1));
  await store.pin('rekor', new Uint8Array(32).fill(2));
  expect(store.find('rekor')).toEqual(new Uint8Array(32).fill(1));
  expect(store.find('ct')).toBeUndefined();
});
