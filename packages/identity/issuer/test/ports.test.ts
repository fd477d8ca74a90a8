import { join } from 'node:path';
import { oneKey, type Signer } from '@colophon/keys';
import { type LedgerStorage, openDatabase, SqliteLedger, StoreError } from '@colophon/store';
import { SIX_FIELDS, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { verifyLedger } from '../src/index.ts';
import type { MintResult } from '../src/minter/minter.ts';
import { issuerFixture, ledgerSize, testKey } from './issuer-fixture.ts';

const LEDGER_KEY = testKey('ledger', 'ES256');
const TOKEN_KEY = testKey('token', 'ES256');

const request = (fields: object = {}) => Buffer.from(JSON.stringify({ ...SIX_FIELDS, ...fields }));
const claimsOf = (minted: readonly MintResult[]) => minted.map((one) => (one.ok ? one.claims : undefined));

/** Some turns of the event loop, another number each time. */
let waits = 0;
async function someTurns(): Promise<void> {
  waits += 1;
  for (let turns = (waits * 7) % 5; turns >= 0; turns -= 1) await new Promise(setImmediate);
}

/** The same ledger on another machine, as it were: what is asked arrives later, and so does the answer. */
function remote(ledger: LedgerStorage): LedgerStorage {
  const later =
    <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) =>
    async (...args: Args) => {
      await someTurns();
      try {
        return await ask(...args);
      } finally {
        await someTurns();
      }
    };
  return {
    findName: later((name) => ledger.findName(name)),
    append: later((tokens) => ledger.append(tokens)),
    find: later((jti) => ledger.find(jti)),
    erase: later((erasure) => ledger.erase(erasure)),
    tail: later(() => ledger.tail()),
    consistency: later((first, second) => ledger.consistency(first, second)),
    pending: later((limit) => ledger.pending(limit)),
    advance: later((step) => ledger.advance(step)),
  };
}

/** `key`, kept elsewhere; `onSign` sees what is to be signed. */
function remoteSigner(key: Signer, onSign: (data: Uint8Array) => void = () => {}): Signer {
  const { alg, publicKey, spki, kid, publicJwk } = key;
  const later = async (data: Uint8Array, sign: (data: Uint8Array) => Uint8Array | Promise<Uint8Array>) => {
    await someTurns();
    onSign(data);
    return sign(data);
  };
  return {
    ...{ alg, publicKey, spki, kid, publicJwk },
    signJose: (data) => later(data, (bytes) => key.signJose(bytes)),
    signDer: (data) => later(data, (bytes) => key.signDer(bytes)),
  };
}

test('a ledger and keys that answer later give one identifier to a name, and lose nothing when closed', async () => {
  const db = openDatabase(':memory:');
  const { issuer } = await issuerFixture(onTestFinished, {
    db,
    ledger: remote(new SqliteLedger(db)),
    signingKeys: oneKey(remoteSigner(TOKEN_KEY)),
    ledgerKey: remoteSigner(LEDGER_KEY),
  });
  const minting = Array.from({ length: 60 }, (_, i) => issuer.mint(request({ agent_name: `agent-${i % 3}` })));
  await someTurns();
  const closed = issuer.close();
  expect(await issuer.mint(request())).toMatchObject({ ok: false, refusal: { code: 'issuer.closed' } });
  await closed;
  const minted = claimsOf(await Promise.all(minting));
  expect(minted).not.toContain(undefined);
  const ids = new Set(minted.map((claims) => `${claims?.sub} ${claims?.agent_id}`));
  expect(ids.size).toBe(3);
  const report = verifyLedger(db, LEDGER_KEY.publicKey);
  expect(report).toMatchObject({ ok: true, token_count: 60, integrated_count: 60 });
});

test('two issuers on one file make one ledger and one tree, and no name twice', async () => {
  const file = join(temporaryFolder(onTestFinished), 'colophon.db');
  const open = async () => {
    const db = openDatabase(file);
    return issuerFixture(onTestFinished, { db, ledger: remote(new SqliteLedger(db)) });
  };
  const [one, other] = [await open(), await open()];
  const asked = Array.from({ length: 80 }, (_, i) => {
    const { issuer } = i % 2 ? one : other;
    return issuer.mint(request({ agent_name: `agent-${i % 7}` })).finally(() => issuer.integrate());
  });
  const answers = await Promise.all(asked);
  const minted = claimsOf(answers).filter((claims) => claims !== undefined);
  // Who lost the race for a name is told to come again, and finds it then.
  for (const answer of answers) if (!answer.ok) expect(answer.refusal.code).toBe('issuer.ledger_unavailable');
  const again = await one.issuer.mint(request({ agent_name: 'agent-0' }));
  expect(again.ok).toBe(true);
  const ids = new Set(minted.map((claims) => `${claims.sub} ${claims.agent_id}`));
  expect(ids.size).toBe(7);
  await Promise.all([one.issuer.close(), other.issuer.close()]);
  expect(verifyLedger(one.db, LEDGER_KEY.publicKey)).toMatchObject({
    ok: true,
    token_count: minted.length + 1,
    integrated_count: minted.length + 1,
  });
});

test('nothing is signed inside a transaction, and a token’s row is on disk before its signature', async () => {
  const file = join(temporaryFolder(onTestFinished), 'colophon.db');
  const db = openDatabase(file);
  const reader = openDatabase(file);
  onTestFinished(() => reader.close());
  const rowsAtSignature: number[] = [];
  const signed: boolean[] = [];
  const { issuer } = await issuerFixture(onTestFinished, {
    db,
    signingKeys: oneKey(
      remoteSigner(TOKEN_KEY, (data) => {
        signed.push(db.sqlite.isTransaction);
        const { jti } = JSON.parse(Buffer.from(Buffer.from(data).toString().split('.')[1]!, 'base64url').toString());
        const row = reader.sqlite.prepare('SELECT seq FROM ledger_entry WHERE jti = ?').get(jti);
        rowsAtSignature.push(Number(row?.['seq']));
      }),
    ),
    ledgerKey: remoteSigner(LEDGER_KEY, () => void signed.push(db.sqlite.isTransaction)),
  });
  await Promise.all(Array.from({ length: 5 }, () => issuer.mint(request())));
  await issuer.integrate();
  expect(signed).toEqual(Array(6).fill(false));
  expect(rowsAtSignature.sort()).toEqual([0, 1, 2, 3, 4]);
});

test('a key that cannot be asked gives no token, and the next one is given when it can', async () => {
  let isAway = true;
  const { post, db } = await issuerFixture(onTestFinished, {
    signingKeys: oneKey(
      remoteSigner(TOKEN_KEY, () => {
        if (isAway) throw new Error('no answer from the key service');
      }),
    ),
  });
  const { status, body } = await post(SIX_FIELDS);
  expect([status, JSON.parse(body).code]).toEqual([500, 'issuer.internal']);
  expect(body).not.toContain('eyJ');
  isAway = false;
  expect((await post(SIX_FIELDS)).status).toBe(200);
  // A row without its token harms nobody; a token without its row would look stolen.
  expect(ledgerSize(db)).toBe(2);
});

/** A signer that answers when it is told to: `asked` fulfils once something waits for a signature. */
function heldSigner(key: Signer): { readonly signer: Signer; asked(): Promise<void>; answer(): void } {
  const waiting: Array<() => void> = [];
  let tell = () => {};
  const held = async (data: Uint8Array, sign: (data: Uint8Array) => Uint8Array | Promise<Uint8Array>) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      tell();
    });
    return sign(data);
  };
  const { alg, publicKey, spki, kid, publicJwk } = key;
  return {
    signer: {
      ...{ alg, publicKey, spki, kid, publicJwk },
      signJose: (data) => held(data, (bytes) => key.signJose(bytes)),
      signDer: (data) => held(data, (bytes) => key.signDer(bytes)),
    },
    asked: () => (waiting.length > 0 ? Promise.resolve() : new Promise((resolve) => (tell = resolve))),
    answer: () => waiting.shift()!(),
  };
}

test('a row that comes while a checkpoint is signed waits for no later one', async () => {
  const db = openDatabase(':memory:');
  const { signer, asked, answer } = heldSigner(LEDGER_KEY);
  const { issuer } = await issuerFixture(onTestFinished, { db, ledger: new SqliteLedger(db), ledgerKey: signer });
  await issuer.mint(request());
  void issuer.integrate();
  await asked();
  await issuer.mint(request());
  // Both rows are on disk, and this one promises all of them.
  const all = issuer.integrate();
  answer();
  void asked().then(answer);
  await all;
  expect(verifyLedger(db, LEDGER_KEY.publicKey)).toMatchObject({ ok: true, integrated_count: 2 });
});

test('closing tries once more what could not be written, and waits for the answer of who was let in', async () => {
  const db = openDatabase(':memory:');
  const sqlite = new SqliteLedger(db);
  let fails = 1;
  const ledger: LedgerStorage = {
    ...remote(sqlite),
    advance: async (step) => {
      fails -= 1;
      if (fails >= 0) throw new StoreError('store.unavailable', 'the disk is full');
      return sqlite.advance(step);
    },
  };
  const { signer, asked, answer } = heldSigner(TOKEN_KEY);
  const { issuer } = await issuerFixture(onTestFinished, { db, ledger, signingKeys: oneKey(signer) });
  const minting = issuer.mint(request());
  await asked();
  const failing = expect(issuer.integrate()).rejects.toThrow(expect.objectContaining({ code: 'store.unavailable' }));
  let isClosed = false;
  const closing = issuer.close().then(() => {
    isClosed = true;
  });
  await failing;
  await someTurns();
  expect(isClosed).toBe(false);
  answer();
  await closing;
  expect(await minting).toMatchObject({ ok: true });
  expect(ledgerSize(db)).toBe(1);
});

test('a ledger that cannot be read is a refusal to come again, as one that cannot be written', async () => {
  const db = openDatabase(':memory:');
  const unreadable: LedgerStorage = {
    ...remote(new SqliteLedger(db)),
    findName: () => Promise.reject(new StoreError('store.unavailable', 'no connection')),
  };
  const { issuer } = await issuerFixture(onTestFinished, { db, ledger: unreadable });
  expect(await issuer.mint(request())).toMatchObject({
    ok: false,
    refusal: { code: 'issuer.ledger_unavailable', status: 503, retryAfterSeconds: 5 },
  });
});
