import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { oneKey } from '@colophon/keys';
import {
  ecdsaKeyHash,
  formatCheckpoint,
  hashLeaf,
  parseCheckpoint,
  parseNote,
  signNote,
  verifyInclusion,
} from '@colophon/merkle';
import { openDatabase, SqliteLedger } from '@colophon/store';
import { SIX_FIELDS, seededBytes, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { claimsOf, ISSUER_URL, issuerFixture, ledgerSize, testKey } from '../../test/issuer-fixture.ts';
import { createIssuer, exportLedger, ledgerOrigin, verifyLedger } from '../index.ts';
import { eraseToken } from '../token-erasure/token-erasure.ts';
import { contentHash, ledgerLeafHash, newLeaf } from './ledger-leaf.ts';
import { ledgerProof } from './ledger-proof.ts';
import { INTEGRATION_DELAY_MS } from './ledger-sequencer.ts';

const LEDGER_KEY = testKey('ledger', 'ES256');
const ORIGIN = 'localhost:7080/ledger';
const verify = (db: ReturnType<typeof openDatabase>) => verifyLedger(db, LEDGER_KEY.publicKey, ORIGIN);

/** A ledger of 9 tokens under checkpoints of 4 and 7, in a file; no other is made, however slow the machine is. */
async function ledgerFile() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const file = join(temporaryFolder(onTestFinished), 'colophon.db');
  const fixture = await issuerFixture(onTestFinished, { db: openDatabase(file) });
  const jtis: string[] = [];
  for (let i = 0; i < 9; i += 1) {
    jtis.push(String(claimsOf((await fixture.post({ ...SIX_FIELDS, agent_version: `1.${i}` })).body)['jti']));
    if (i === 3 || i === 6) await fixture.issuer.integrate();
  }
  return { ...fixture, file, jtis };
}

const sha256 = async (...parts: Uint8Array[]) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', Buffer.concat(parts)));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const FACTS = { jti: '6b1f4b2e-0d0a-4f29-9c1e-7a4f5e1f2a3b', issued_at: 1_795_262_400 };

test('the leaf is that of RFC 6962 over four lines with jti, time and the hash of the content', () => {
  const content = contentHash(seededBytes('salt', 16), '{"sub":"agent:x"}', null);
  const text = `colophon-ledger-leaf/2\n${FACTS.jti}\n1795262400\n${content}\n`;
  expect(hexOf(ledgerLeafHash({ ...FACTS, leaf_version: 2 }, content)!)).toBe(hexOf(hashLeaf(Buffer.from(text))));
  for (const leaf_version of [1, 3]) expect(ledgerLeafHash({ ...FACTS, leaf_version }, content)).toBeUndefined();
  expect(ledgerLeafHash({ ...FACTS, jti: 'two\nlines', leaf_version: 2 }, content)).toBeUndefined();
});

test('the content of a row with an authorization covers it, behind a newline that neither part has', async () => {
  const salt = seededBytes('salt', 16);
  const payload = '{"sub":"agent:é€😀"}';
  const whole = await sha256(salt, Buffer.from(`${payload}\n{"caller":"ci"}`));
  expect(contentHash(salt, payload, '{"caller":"ci"}')).toBe(hexOf(whole));
  expect(contentHash(salt, `${payload}${'x'.repeat(100_000)}`, null)).toHaveLength(64);
  for (const [one, other] of [
    ['{"a":\n1}', '{"caller":"ci"}'],
    ['{"a":\n1}', null],
    ['{"a":1}', '{"caller":\n"ci"}'],
  ] as const) {
    expect(() => contentHash(salt, one, other)).toThrow(TypeError);
  }
});

/** As docs/ledger.md has it, from a record alone. */
function leafOf({ jti, issued_at, content_hash }: { jti: string; issued_at: string; content_hash: string | null }) {
  const seconds = Date.parse(issued_at) / 1000;
  return hexOf(hashLeaf(Buffer.from(`colophon-ledger-leaf/2\n${jti}\n${seconds}\n${content_hash}\n`)));
}

const AUTHORIZATION = '{"caller":"release-bot","credential":"api-key","key_id":"AAAAAAAAAAAA"}';

/** The file of a ledger, and a last row with an authorization, under a checkpoint. */
async function authorizedLedger() {
  const ledger = await ledgerFile();
  const salt = seededBytes('salt', 16);
  const [jti, issued_at] = ['6b1f4b2e-0d0a-4f29-9c1e-7a4f5e1f2a3b', 1_795_262_400];
  const payload = JSON.stringify({ iss: ISSUER_URL, jti, iat: issued_at });
  const content = { jti, issued_at, salt, payload, authorization: AUTHORIZATION };
  const row = { ...content, ...newLeaf(content) };
  await new SqliteLedger(ledger.db).append([{ row }]);
  await ledger.issuer.integrate();
  return { ...ledger, jti };
}

test('a record shows on whose authority it was written, and what a reader needs to compute its leaf', async () => {
  const { issuer, db, jti, jtis } = await authorizedLedger();
  const record = (await issuer.run(jti))!;
  expect(record.authorization).toEqual(JSON.parse(AUTHORIZATION));
  expect(record).toEqual(ledgerProof(db, jti));
  const from = (text: string | null) => Buffer.from(text!, 'base64url');
  const parts = [Buffer.from(record.salt!, 'hex'), from(record.payload), Buffer.from('\n')];
  expect(hexOf(await sha256(...parts, from(record.authorization_payload)))).toBe(record.content_hash);
  expect(record.leaf_hash).toBe(leafOf(record));
  const unauthorized = (await issuer.run(jtis[0]!))!;
  expect([unauthorized.authorization, unauthorized.authorization_payload]).toEqual([null, null]);
  expect(verify(db)).toMatchObject({ ok: true, token_count: 10, event_count: 0 });
  await eraseToken(db, jti, { reason: 'ticket 1', erasedBy: 'operator' });
  const erased = (await issuer.run(jti))!;
  expect([erased.claims, erased.authorization, erased.authorization_payload, erased.salt]).toEqual(Array(4).fill(null));
  expect([erased.content_hash, erased.leaf_hash]).toEqual([record.content_hash, leafOf(erased)]);
  expect(verify(db)).toMatchObject({ ok: true, erased_count: 1 });
});

test('an authorization of which any byte is changed does not verify', async () => {
  const { db } = await authorizedLedger();
  const set = db.sqlite.prepare('UPDATE ledger_entry SET authorization = CAST(? AS TEXT) WHERE seq = 9');
  const bytes = Buffer.from(AUTHORIZATION);
  for (const bit of [0x01, 0x20]) {
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= bit;
      set.run(changed);
      expect(verify(db).problem_counts, `byte ${at}`).toMatchObject({ 'ledger.leaf_mismatch': 1 });
    }
  }
  set.run(bytes);
  expect(verify(db).ok).toBe(true);
});

test.each([
  ['taken away', `UPDATE ledger_entry SET authorization = NULL WHERE seq = 9`],
  ['given to a row without one', `UPDATE ledger_entry SET authorization = '{}' WHERE seq = 0`],
  [
    'moved into the payload',
    `UPDATE ledger_entry SET payload = payload || char(10) || authorization, authorization = NULL WHERE seq = 9`,
  ],
  ['given a line of its own', `UPDATE ledger_entry SET authorization = authorization || char(10) WHERE seq = 9`],
  ['left in an erased row', `UPDATE ledger_entry SET payload = NULL, salt = NULL WHERE seq = 9`],
])('an authorization that was %s is found', async (_title, sql) => {
  const { db } = await authorizedLedger();
  db.sqlite.exec(sql);
  expect(verify(db).problem_counts).toHaveProperty(['ledger.leaf_mismatch']);
});

test('a ledger verifies from another, read-only connection while the issuer runs', async () => {
  const { file } = await ledgerFile();
  const reader = openDatabase(file, { readonly: true });
  onTestFinished(() => reader.close());
  expect(verify(reader)).toMatchObject({
    ok: true,
    token_count: 9,
    integrated_count: 7,
    checkpoint_count: 2,
    erased_count: 0,
    problems: [],
  });
});

test('a row is under a checkpoint before a second has passed', async () => {
  const { issuer, jtis } = await ledgerFile();
  expect(INTEGRATION_DELAY_MS).toBeLessThan(1000);
  expect((await issuer.run(jtis[8]!))?.integrated).toBe(false);
  await vi.advanceTimersByTimeAsync(INTEGRATION_DELAY_MS);
  await new Promise(setImmediate);
  expect((await issuer.run(jtis[8]!))?.integrated).toBe(true);
});

test('every record is proven under the newest checkpoint', async () => {
  const { issuer, db, jtis } = await ledgerFile();
  await issuer.integrate();
  for (const [seq, jti] of jtis.entries()) {
    const record = (await issuer.run(jti))!;
    expect(record).toEqual(ledgerProof(db, jti));
    expect(record).toMatchObject({ jti, seq, integrated: true, issued_at: '2026-11-21T12:00:00Z' });
    expect(record.claims).toMatchObject({ jti, agent_version: `1.${seq}` });
    const { leaf_index: index, tree_size: size, root_hash, hashes, checkpoint } = record.proof!;
    const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
    expect(record.leaf_hash).toBe(leafOf(record));
    const leafHash = bytes(record.leaf_hash);
    expect(verifyInclusion({ index, size, leafHash, root: bytes(root_hash), proof: hashes.map(bytes) })).toBe(true);
    const note = parseNote(checkpoint);
    const parsed = note.ok ? parseCheckpoint(note.value.text) : note;
    expect(parsed).toMatchObject({ ok: true, value: { origin: ORIGIN, size: 9, root: bytes(root_hash) } });
  }
});

test('/runs serves the record, and a problem document for everything else', async () => {
  const { app, issuer, jtis } = await ledgerFile();
  const served = await app.inject({ url: `/runs/${jtis[2]}` });
  expect([served.statusCode, served.json()]).toEqual([200, await issuer.run(jtis[2]!)]);
  expect((await app.inject({ url: `/runs/${jtis[8]}` })).json()).toMatchObject({ integrated: false, proof: null });
  for (const jti of ['00000000-0000-4000-8000-000000000000', 'x', jtis[0]!.toUpperCase(), '%00', "' OR 1=1 --"]) {
    const unknown = await app.inject({ url: `/runs/${encodeURIComponent(jti)}` });
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'issuer.run_not_found']);
    expect(unknown.headers['content-type']).toMatch(/^application\/problem\+json/);
  }
});

test('a configuration may keep records to itself', async () => {
  const { app } = await issuerFixture(onTestFinished, { servesRuns: false });
  const answer = await app.inject({ url: '/runs/00000000-0000-4000-8000-000000000000' });
  expect([answer.statusCode, answer.json().code]).toEqual([404, undefined]);
});

test('the export is every record in order', async () => {
  const { file, jtis } = await ledgerFile();
  const reader = openDatabase(file, { readonly: true });
  onTestFinished(() => reader.close());
  const records = [...exportLedger(reader)];
  expect(records.map(({ jti, seq, integrated }) => [jti, seq, integrated])).toEqual(
    jtis.map((jti, seq) => [jti, seq, seq < 7]),
  );
  expect(reader.sqlite.isTransaction).toBe(false);
});

test('an erased payload leaves a ledger that verifies and a proof that holds', async () => {
  const { issuer, db, jtis } = await ledgerFile();
  const before = (await issuer.run(jtis[1]!))!;
  const { erased } = await eraseToken(db, jtis[1]!, { reason: 'ticket 1', erasedBy: 'operator' });
  expect(erased).toMatchObject({ reason: 'ticket 1', erased_by: 'operator' });
  expect(await issuer.run(jtis[1]!)).toEqual({ ...before, claims: null, payload: null, salt: null, erased });
  expect(verify(db)).toMatchObject({ ok: true, token_count: 9, event_count: 1, erased_count: 1 });
});

test('rows that a killed process left without a checkpoint are integrated at the next start', async () => {
  const { file, jtis } = await ledgerFile();
  const copy = join(temporaryFolder(onTestFinished), 'colophon.db');
  for (const suffix of ['', '-wal']) cpSync(file + suffix, copy + suffix);
  const { db, issuer, post } = await issuerFixture(onTestFinished, { db: openDatabase(copy) });
  expect(verify(db)).toMatchObject({ ok: true, token_count: 9, integrated_count: 9, checkpoint_count: 3 });
  expect((await issuer.run(jtis[8]!))?.integrated).toBe(true);
  expect((await post({ ...SIX_FIELDS, agent_name: 'CODE-WRITER' })).status).toBe(400);
  expect((await post(SIX_FIELDS)).status).toBe(200);
  expect(ledgerSize(db)).toBe(10);
});

const TAMPERINGS: ReadonlyArray<[title: string, sql: string, code: string]> = [
  [
    'a changed payload',
    `UPDATE ledger_entry SET payload = replace(payload, 'alice', 'mallo') WHERE seq = 2`,
    'ledger.leaf_mismatch',
  ],
  ['a changed salt', `UPDATE ledger_entry SET salt = zeroblob(16) WHERE seq = 0`, 'ledger.leaf_mismatch'],
  ['a changed leaf', `UPDATE ledger_entry SET leaf_hash = zeroblob(32) WHERE seq = 5`, 'ledger.head_mismatch'],
  ['a leaf of a wrong length', `UPDATE ledger_entry SET leaf_hash = zeroblob(3) WHERE seq = 8`, 'ledger.leaf_mismatch'],
  ['another jti', `UPDATE ledger_entry SET jti = 'x' WHERE seq = 1`, 'ledger.payload_mismatch'],
  ['another time', `UPDATE ledger_entry SET issued_at = 1 WHERE seq = 8`, 'ledger.payload_mismatch'],
  ['a payload that is no JSON', `UPDATE ledger_entry SET payload = 'x' WHERE seq = 1`, 'ledger.payload_mismatch'],
  ['a removed row', `DELETE FROM ledger_entry WHERE seq = 4`, 'ledger.seq_gap'],
  ['removed rows at the end', `DELETE FROM ledger_entry WHERE seq > 4`, 'ledger.rows_missing'],
  ['an emptied ledger', `DELETE FROM ledger_entry`, 'ledger.rows_missing'],
  [
    'two rows exchanged',
    `UPDATE ledger_entry SET seq = CASE seq WHEN 1 THEN -2 WHEN 2 THEN 1 ELSE seq END WHERE seq IN (1, 2); UPDATE ledger_entry SET seq = 2 WHERE seq = -2`,
    'ledger.head_mismatch',
  ],
  [
    'an old checkpoint of another root',
    `UPDATE merkle_head SET root = zeroblob(32) WHERE tree = 'ledger' AND size = 4`,
    'ledger.head_malformed',
  ],
  [
    'a checkpoint of another size',
    `UPDATE merkle_head SET size = 3 WHERE tree = 'ledger' AND size = 4`,
    'ledger.head_malformed',
  ],
  [
    'a checkpoint that is none',
    `UPDATE merkle_head SET note = 'x' WHERE tree = 'ledger' AND size = 4`,
    'ledger.head_malformed',
  ],
  [
    'a checkpoint whose signature line is another name',
    `UPDATE merkle_head SET note = replace(note, '\u2014 localhost:7080/ledger', '\u2014 other') WHERE tree = 'ledger' AND size = 4`,
    'ledger.head_signature_invalid',
  ],
  [
    'a tree without its last leaf',
    `DELETE FROM merkle_node WHERE tree = 'ledger' AND level = 0 AND idx = 6`,
    'ledger.tree_mismatch',
  ],
  [
    'a changed node',
    `UPDATE merkle_node SET hash = zeroblob(32) WHERE tree = 'ledger' AND level = 2`,
    'ledger.tree_mismatch',
  ],
];

test.each(TAMPERINGS)('%s is found', async (_title, sql, code) => {
  const { db } = await ledgerFile();
  db.sqlite.exec(sql);
  const report = verify(db);
  expect(report.ok).toBe(false);
  expect(report.problem_counts).toHaveProperty([code]);
  expect(report.problems.map((problem) => problem.code)).toContain(code);
});

test('a checkpoint signed by another key, or of another ledger, is found', async () => {
  const { db } = await ledgerFile();
  const other = verifyLedger(db, testKey('other', 'ES256').publicKey, ORIGIN);
  expect(other).toMatchObject({ ok: false, problem_counts: { 'ledger.head_signature_invalid': 2 } });
  const elsewhere = verifyLedger(db, LEDGER_KEY.publicKey, 'elsewhere/ledger');
  expect(elsewhere).toMatchObject({ ok: false, problem_counts: { 'ledger.head_malformed': 2 } });
  expect(verifyLedger(db, LEDGER_KEY.publicKey).ok).toBe(true);
});

test('a checkpoint that only claims to be signed by the right key is found, and nothing is signed after it', async () => {
  const { db } = await ledgerFile();
  const root = db.sqlite.prepare('SELECT root FROM merkle_head WHERE size = 7').get()!['root'] as Uint8Array;
  const forged = signNote(formatCheckpoint({ origin: ORIGIN, size: 7, root }), {
    name: ORIGIN,
    keyHash: ecdsaKeyHash(LEDGER_KEY.spki),
    sign: (bytes) => testKey('other', 'ES256').signDer(bytes),
  });
  db.sqlite.prepare('UPDATE merkle_head SET note = ? WHERE size = 7').run(forged);
  expect(verify(db)).toMatchObject({ ok: false, problem_counts: { 'ledger.head_signature_invalid': 1 } });
  await expect(start(db)).rejects.toMatchObject({ code: 'issuer.ledger_damaged' });
});

test('a file without a ledger is reported, not thrown', () => {
  const db = openDatabase(':memory:');
  onTestFinished(() => db.close());
  db.sqlite.exec('CREATE TABLE ledger_entry (x)');
  expect(verify(db)).toMatchObject({ ok: false, token_count: 0 });
});

test.each([
  ['rows behind the checkpoint are gone', `DELETE FROM ledger_entry WHERE seq > 4`],
  ['the tree lost a leaf', `DELETE FROM merkle_node WHERE tree = 'ledger' AND level = 0 AND idx = 6`],
  ['the newest checkpoint is gone', `DELETE FROM merkle_head WHERE tree = 'ledger'`],
  [
    'the newest checkpoint was exchanged',
    `UPDATE merkle_head SET note = (SELECT note FROM merkle_head WHERE size = 4) WHERE size = 7`,
  ],
])('nothing is signed on a ledger of which %s', async (_title, sql) => {
  const { file } = await ledgerFile();
  const db = openDatabase(file);
  onTestFinished(() => db.close());
  db.sqlite.exec(sql);
  await expect(start(db)).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:issuer\.ledger_damaged|store\.tree_corrupt)$/),
  });
});

test('another ledger key, or another issuer, does not go on with a ledger', async () => {
  const { db } = await ledgerFile();
  await expect(start(db, { ledgerKey: testKey('other', 'ES256') })).rejects.toMatchObject({
    code: 'issuer.ledger_damaged',
  });
  await expect(start(db, { issuerUrl: 'http://localhost:7081' })).rejects.toMatchObject({
    code: 'issuer.ledger_damaged',
  });
});

test('the ledger is named after the issuer', () => {
  expect(ledgerOrigin(ISSUER_URL)).toBe(ORIGIN);
  expect(ledgerOrigin('https://ci.example/agents/')).toBe('ci.example/agents/ledger');
});

async function start(db: ReturnType<typeof openDatabase>, options: object = {}) {
  return createIssuer({
    issuerUrl: ISSUER_URL,
    ledger: new SqliteLedger(db),
    signingKeys: oneKey(testKey('token', 'ES256')),
    ledgerKey: LEDGER_KEY,
    ...options,
  });
}
