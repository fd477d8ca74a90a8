import { join } from 'node:path';
import { seededBytes, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { LedgerStore, type NewLedgerRow } from './ledger-store.ts';

const row = (jti: string): NewLedgerRow => ({
  jti,
  issued_at: 1_764_000_000,
  salt: seededBytes(`salt ${jti}`, 16),
  leaf_version: 2,
  leaf_hash: seededBytes(`leaf ${jti}`, 32),
  payload: `{"jti":"${jti}"}`,
  authorization: `{"caller":"${jti}"}`,
});

function store() {
  const db = openDatabase(':memory:');
  return { db, ledger: new LedgerStore(db) };
}

test('rows get consecutive numbers from 0 on and are read as they were written', async () => {
  const { db, ledger } = store();
  expect([ledger.size(), ledger.last()]).toEqual([0, undefined]);
  expect(await db.write(() => ledger.append([row('a'), row('b')]))).toBe(0);
  expect(await db.write(() => ledger.append([row('c')]))).toBe(2);
  expect([...ledger.rowsFrom()].map(({ seq, jti }) => [seq, jti])).toEqual([
    [0, 'a'],
    [1, 'b'],
    [2, 'c'],
  ]);
  expect([...ledger.rowsFrom(2)]).toHaveLength(1);
  expect(ledger.findByJti('b')).toEqual({ seq: 1, ...row('b'), content_hash: null });
  expect(ledger.findByJti('x')).toBeUndefined();
  expect(ledger.last()?.jti).toBe('c');
  expect(ledger.size()).toBe(3);
  expect(ledger.leafHashesFrom(1, 1)).toEqual([row('b').leaf_hash]);
});

test('an undone write leaves no gap', async () => {
  const { db, ledger } = store();
  await db.write(() => ledger.append([row('a')]));
  await expect(db.write(() => ledger.append([row('b'), row('a')]))).rejects.toThrow(/UNIQUE/);
  await db.write(() => ledger.append([row('c')]));
  expect([...ledger.rowsFrom()].map(({ seq, jti }) => [seq, jti])).toEqual([
    [0, 'a'],
    [1, 'c'],
  ]);
});

test('erasing drops payload, salt and authorization and keeps the leaf', async () => {
  const { db, ledger } = store();
  await db.write(() => ledger.append([row('a'), row('b')]));
  const contentHash = seededBytes('content', 32);
  const erase = (jti: string) => db.write(() => ledger.erase({ jti, contentHash, event: row(`erased ${jti}`) }));
  await erase('a');
  for (const jti of ['a', 'x']) await expect(erase(jti)).rejects.toMatchObject({ code: 'store.conflict' });
  const erased = { payload: null, salt: null, authorization: null, content_hash: contentHash };
  expect(ledger.findByJti('a')).toEqual({ seq: 0, ...row('a'), ...erased });
  expect(ledger.erasures()).toEqual([{ seq: 0, event_seq: 2, is_finished: 0 }]);
  await db.write(() => ledger.finish([0]));
  expect([ledger.erasures()[0]?.is_finished, ledger.size()]).toEqual([1, 3]);
  expect(ledger.erasureOf(0)?.jti).toBe('erased a');
  expect(ledger.findByJti('b')?.payload).not.toBeNull();
});

test('a file of a program that was never released is refused, for reading and for writing', () => {
  const file = join(temporaryFolder(onTestFinished), 'colophon.db');
  const db = openDatabase(file);
  db.migrate('ledger', ['CREATE TABLE ledger_entry (seq INTEGER PRIMARY KEY, jti TEXT NOT NULL) STRICT']);
  db.close();
  for (const readonly of [true, false]) {
    const again = openDatabase(file, { readonly });
    onTestFinished(() => again.close());
    expect(() => new LedgerStore(again)).toThrow(expect.objectContaining({ code: 'store.schema_unreleased' }));
  }
});
