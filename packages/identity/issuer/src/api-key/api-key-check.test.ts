import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CallerStore, openDatabase } from '@colophon/store';
import { seededBytes, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createApiKey } from './api-key.ts';
import { checkApiKey } from './api-key-check.ts';
import { ApiKeyUses } from './api-key-uses.ts';

const NOW = 1_764_000_000;
let draws = 0;
const newKey = () => createApiKey((length) => seededBytes(`draw ${draws++}`, length));

/** A store with one key of `release-bot`, good for a day. */
async function fixture() {
  const file = join(temporaryFolder(onTestFinished), 'colophon.db');
  const db = openDatabase(file);
  onTestFinished(() => db.close());
  const store = new CallerStore(db);
  const { id, text, secretHash } = newKey();
  const row = { key_id: id, caller: 'release-bot', secret_hash: secretHash, created_at: NOW, expires_at: NOW + 86_400 };
  await db.write(() => store.insertKey(row));
  return { file, db, store, id, text, row };
}

test('a key is let in until the second in which it expires', async () => {
  const { store, id, text } = await fixture();
  const letIn = { ok: true, caller: 'release-bot', keyId: id };
  expect(checkApiKey(text, store, NOW)).toEqual(letIn);
  expect(checkApiKey(text, store, NOW + 86_399)).toEqual(letIn);
  expect(checkApiKey(text, store, NOW + 86_400)).toEqual({ ok: false, code: 'caller.api_key_expired' });
});

test('a key that was never created, and one with another secret, are not told apart', async () => {
  const { store, id, db, row } = await fixture();
  const stranger = newKey();
  expect(checkApiKey(stranger.text, store, NOW)).toEqual({ ok: false, code: 'caller.api_key_unknown' });
  // Somebody who knows an id makes a whole key of it, whose checksum is right.
  const forged = createApiKey((length) => (length === 12 ? idBytes(id) : seededBytes('forged', length)));
  expect(forged.id).toBe(id);
  for (const state of ['active', 'revoked', 'expired'] as const) {
    if (state === 'revoked') await db.write(() => store.revokeKey(row.key_id, NOW));
    const now = state === 'expired' ? row.expires_at + 1 : NOW;
    expect(checkApiKey(forged.text, store, now), state).toEqual({ ok: false, code: 'caller.api_key_unknown' });
  }
  expect(checkApiKey(`${stranger.text}x`, store, NOW)).toEqual({ ok: false, code: 'caller.api_key_malformed' });
});

test('a revoked key, and every key of a revoked caller, is refused from the next request on', async () => {
  const { file, db, store, text, row } = await fixture();
  const second = newKey();
  const other = { ...row, key_id: second.id, secret_hash: second.secretHash };
  await db.write(() => store.insertKey(other));
  expect(checkApiKey(second.text, store, NOW).ok).toBe(true);
  const operator = openDatabase(file);
  onTestFinished(() => operator.close());
  const elsewhere = new CallerStore(operator);
  await operator.write(() => elsewhere.revokeKey(row.key_id, NOW));
  expect(checkApiKey(text, store, NOW)).toEqual({ ok: false, code: 'caller.api_key_revoked' });
  expect(checkApiKey(second.text, store, NOW).ok).toBe(true);
  await operator.write(() => elsewhere.revokeCaller('release-bot', NOW));
  expect(checkApiKey(second.text, store, NOW)).toEqual({ ok: false, code: 'caller.revoked' });
});

test('the file holds a hash and no secret', async () => {
  const { file, db, text } = await fixture();
  db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const kept = readFileSync(file).toString('latin1');
  expect(kept).toContain('release-bot');
  for (let at = 22; at + 8 <= text.length; at += 1) expect(kept).not.toContain(text.slice(at, at + 8));
});

test('the last use is written once a minute at most, and what is left when the issuer stops', async () => {
  const { db, store, id } = await fixture();
  const uses = new ApiKeyUses(db, store);
  const lastUse = () => store.keys()[0]?.last_used_at;
  for (let second = 0; second < 60; second += 1) uses.note(id, NOW + second);
  await new Promise(setImmediate);
  expect(lastUse()).toBe(NOW);
  uses.note(id, NOW + 60);
  await new Promise(setImmediate);
  expect(lastUse()).toBe(NOW + 60);
  uses.note(id, NOW + 75);
  uses.note(id, NOW + 70);
  await new Promise(setImmediate);
  expect(lastUse()).toBe(NOW + 60);
  await uses.close();
  expect(lastUse()).toBe(NOW + 75);
});

test('when the issuer stops, only uses that are not on disk are written, and they once', async () => {
  const { db } = await fixture();
  const written: string[] = [];
  const uses = new ApiKeyUses(db, { touch: (keyId, at) => void written.push(`${keyId} ${at - NOW}`) });
  for (const at of [0, 5]) uses.note('late', NOW + at);
  uses.note('done', NOW);
  await uses.close();
  await uses.close();
  expect(written).toEqual(['late 0', 'done 0', 'late 5']);
});

test('a use that could not be written is written when the issuer stops', async () => {
  const { db, store, id } = await fixture();
  let isBroken = true;
  const uses = new ApiKeyUses(db, {
    touch(keyId, at) {
      if (isBroken) throw new Error('no');
      store.touch(keyId, at);
    },
  });
  uses.note(id, NOW);
  await new Promise(setImmediate);
  isBroken = false;
  await uses.close();
  expect(store.keys()[0]?.last_used_at).toBe(NOW);
});

/** Bytes of which an id with these digits is made. */
function idBytes(id: string): Uint8Array {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return Uint8Array.from(id, (digit) => digits.indexOf(digit));
}
