import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { TreeRestoreStore } from './tree-restore-store.ts';

function place() {
  const file = join(temporaryFolder(onTestFinished), 'test.db');
  const open = (readonly = false) => {
    const db = openDatabase(file, { readonly });
    onTestFinished(() => db.close());
    return db;
  };
  return { open };
}
const CORRUPT = expect.objectContaining({ code: 'store.corrupt' });

test('each part has its own records, in their order', async () => {
  const db = place().open();
  const store = new TreeRestoreStore(db);
  expect(store.records('ledger')).toEqual([]);
  for (const record of ['first', 'second']) await db.write(() => store.add('ledger', record));
  await db.write(() => store.add('logs', 'other'));
  expect(store.records('ledger')).toEqual(['first', 'second']);
  expect(store.records('logs')).toEqual(['other']);
});

test.each([
  ['changed', "UPDATE tree_restore SET record = 'firsT' WHERE number = 1"],
  ['missing before another', 'DELETE FROM tree_restore WHERE number = 1'],
  ['under another number', 'UPDATE tree_restore SET number = 3 WHERE number = 2'],
  ['of another part', "UPDATE tree_restore SET part = 'logs' WHERE number = 1"],
])('one that is %s is noticed', async (_title, sql) => {
  const db = place().open();
  const store = new TreeRestoreStore(db);
  for (const record of ['first', 'second']) await db.write(() => store.add('ledger', record));
  db.sqlite.exec(sql);
  expect(() => store.records('ledger')).toThrow(CORRUPT);
});
