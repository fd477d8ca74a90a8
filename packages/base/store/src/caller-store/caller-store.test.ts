import { join } from 'node:path';
import { seededBytes, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { SqliteLedger } from '../ledger/sqlite-ledger.ts';
import { CallerStore, type NewApiKeyRow } from './caller-store.ts';

const NOW = 1_764_000_000;

function key(key_id: string, caller = 'release-bot'): NewApiKeyRow {
  return { key_id, caller, secret_hash: seededBytes(key_id, 32), created_at: NOW, expires_at: NOW + 86_400 };
}

/** Two connections to one file, as two processes have them. */
function two() {
  const file = join(temporaryFolder(onTestFinished), 'colophon.db');
  const open = () => {
    const db = openDatabase(file);
    onTestFinished(() => db.close());
    return { db, store: new CallerStore(db) };
  };
  return { one: open(), other: open() };
}

test('a key is found as it was written, by the connection that wrote it and by others', async () => {
  const { one, other } = two();
  expect([one.store.findKey('a'), other.store.findKey('a')]).toEqual([undefined, undefined]);
  await one.db.write(() => one.store.insertKey(key('a')));
  const row = { ...key('a'), revoked_at: null, last_used_at: null };
  expect({ ...one.store.findKey('a') }).toEqual(row);
  expect({ ...other.store.findKey('a') }).toEqual(row);
  expect(one.store.findKey('A')).toBeUndefined();
});

test('what another connection revokes is refused at the next question', async () => {
  const { one, other } = two();
  await one.db.write(() => one.store.insertKey(key('a')));
  expect([one.store.findKey('a')?.revoked_at, one.store.isRevoked('release-bot')]).toEqual([null, false]);
  expect(await other.db.write(() => other.store.revokeKey('a', NOW + 5))).toBe(true);
  expect(one.store.findKey('a')?.revoked_at).toBe(NOW + 5);
  expect(await other.db.write(() => other.store.revokeCaller('release-bot', NOW + 6))).toBe(true);
  expect(one.store.isRevoked('release-bot')).toBe(true);
});

test('what is committed in the middle of a turn is seen in it, and what is undone is not', () => {
  const { one } = two();
  const { db, store } = one;
  const write = (work: () => unknown) => {
    db.write(work).catch(() => {});
    db.flush();
  };
  expect(store.findKey('a')).toBeUndefined();
  write(() => store.insertKey(key('a')));
  expect(store.findKey('a')).toBeDefined();
  write(() => {
    store.revokeCaller('release-bot', NOW);
    throw new Error('undone');
  });
  expect(store.isRevoked('release-bot')).toBe(false);
  write(() => store.revokeCaller('release-bot', NOW));
  expect(store.isRevoked('release-bot')).toBe(true);
});

test('what another store of the same connection changes is seen too', async () => {
  const { one } = two();
  const beside = new CallerStore(one.db);
  expect(one.store.findKey('a')).toBeUndefined();
  await one.db.write(() => beside.insertKey(key('a')));
  expect(one.store.findKey('a')).toBeDefined();
});

test('a revocation stands: a second one changes nothing, and says so', async () => {
  const { one } = two();
  await one.db.write(() => one.store.insertKey(key('a')));
  const revoke = (at: number) =>
    one.db.write(() => [one.store.revokeKey('a', at), one.store.revokeCaller('x', at), one.store.revokeKey('b', at)]);
  expect(await revoke(NOW)).toEqual([true, true, false]);
  expect(await revoke(NOW + 1)).toEqual([false, false, false]);
  expect(one.store.findKey('a')?.revoked_at).toBe(NOW);
  expect(one.store.revokedCallers().map((row) => ({ ...row }))).toEqual([{ caller: 'x', revoked_at: NOW }]);
});

test('what a write has done is not remembered where that write is undone', async () => {
  const { one } = two();
  await one.db.write(() => one.store.insertKey(key('a')));
  const undone = one.db.write(() => {
    one.store.revokeKey('a', NOW);
    expect(one.store.findKey('a')?.revoked_at).toBe(NOW);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  // Nothing is asked before the next change, which counts on from where the undone one began.
  await one.db.write(() => one.store.revokeCaller('b', NOW));
  expect(one.store.findKey('a')?.revoked_at).toBeNull();
  expect(one.store.isRevoked('b')).toBe(true);
});

test('keys are listed for all or for one, the oldest first, with their last use, which never goes back', async () => {
  const { one, other } = two();
  await one.db.write(() => {
    one.store.insertKey({ ...key('b'), created_at: NOW + 1 });
    one.store.insertKey(key('c', 'other-bot'));
    one.store.insertKey(key('a'));
  });
  expect(one.store.keys().map(({ key_id }) => key_id)).toEqual(['a', 'c', 'b']);
  expect(one.store.keys('release-bot').map(({ key_id }) => key_id)).toEqual(['a', 'b']);
  await other.db.write(() => {
    other.store.touch('a', NOW + 60);
    other.store.touch('a', NOW + 30);
    other.store.touch('unknown', NOW);
  });
  expect(one.store.keys('release-bot')[0]?.last_used_at).toBe(NOW + 60);
});

test('an identifier is one key’s, and a hash has its length', async () => {
  const { one } = two();
  await one.db.write(() => one.store.insertKey(key('a')));
  await expect(one.db.write(() => one.store.insertKey(key('a', 'other-bot')))).rejects.toThrow(/UNIQUE/);
  const short = { ...key('b'), secret_hash: new Uint8Array(31) };
  await expect(one.db.write(() => one.store.insertKey(short))).rejects.toThrow(/CHECK/);
  expect(one.store.keys()).toHaveLength(1);
});

test('a change is in the file exactly where the row is that records it', async () => {
  const { one } = two();
  const ledger = new SqliteLedger(one.db);
  const row = (jti: string) => ({
    row: {
      jti,
      issued_at: NOW,
      salt: new Uint8Array(16),
      leaf_version: 2,
      leaf_hash: new Uint8Array(32),
      payload: '{}',
      authorization: null,
    },
  });
  await ledger.append([row('1')], { kind: 'key-created', key: key('a') });
  await ledger.append([row('2')], { kind: 'key-revoked', keyId: 'a', at: NOW + 1 });
  const refused = await Promise.allSettled([
    ledger.append([row('3')], { kind: 'key-revoked', keyId: 'a', at: NOW + 2 }),
    ledger.append([row('4')], { kind: 'key-created', key: key('a') }),
    ledger.append([row('1')], { kind: 'caller-revoked', caller: 'release-bot', at: NOW + 2 }),
    ledger.append([row('5')], { kind: 'caller-revoked', caller: 'other-bot', at: NOW + 2 }),
  ]);
  expect(refused.map((one) => (one.status === 'rejected' ? one.reason.code : one.status))).toEqual([
    'store.conflict',
    'store.conflict',
    'store.conflict',
    'fulfilled',
  ]);
  expect((await ledger.tail()).rows).toBe(3);
  expect(ledger.callers.findKey('a')?.revoked_at).toBe(NOW + 1);
  expect([ledger.callers.isRevoked('release-bot'), ledger.callers.isRevoked('other-bot')]).toEqual([false, true]);
});
