import { join } from 'node:path';
import { openDatabase } from '@colophon/store';
import { fakeClock, SIX_FIELDS, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { claimsOf, issuerFixture, testKey } from '../../test/issuer-fixture.ts';
import { checkApiKey } from '../api-key/api-key-check.ts';
import { exportLedger, verifyLedger } from '../index.ts';
import { ledgerProof } from '../ledger/ledger-proof.ts';
import { eraseToken } from '../token-erasure/token-erasure.ts';
import { CallerDesk, isCallerName, listCallers, listKeys } from './caller-desk.ts';

const clock = fakeClock();
const NOW = Math.floor(clock.now() / 1000);
const DAY = 86_400;

/** A running issuer, and beside it what the operator's process has open. */
async function fixture() {
  const file = join(temporaryFolder(onTestFinished), 'colophon.db');
  const server = await issuerFixture(onTestFinished, { db: openDatabase(file) });
  const db = openDatabase(file);
  onTestFinished(() => db.close());
  return { ...server, server: server.db, db, desk: new CallerDesk(db, { clock }) };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'fulfilled',
    (error) => error.code,
  );

test('keys and callers are created, listed and revoked, each with a row in the ledger that verifies', async () => {
  const { db, desk, post, issuer } = await fixture();
  const first = await desk.createKey('release-bot', { lifetimeSeconds: DAY });
  const second = await desk.createKey('release-bot');
  expect([first.expires_at, second.expires_at]).toEqual(['2026-11-22T12:00:00Z', '2026-12-21T12:00:00Z']);
  expect((await post(SIX_FIELDS)).status).toBe(200);
  await desk.revokeKey(first.key_id);
  await desk.createKey('other-bot');
  await desk.revokeCaller('other-bot');
  await desk.revokeCaller('no-keys');
  await issuer.integrate();

  expect(listKeys(db, NOW).map(({ caller, state }) => [caller, state])).toEqual(
    expect.arrayContaining([
      ['release-bot', 'revoked'],
      ['release-bot', 'active'],
      ['other-bot', 'caller-revoked'],
    ]),
  );
  expect(listKeys(db, NOW + 31 * DAY, 'release-bot').map(({ state }) => state)).toContain('expired');
  expect(listCallers(db, NOW, ['configured']).map((one) => [one.caller, one.active_key_count, one.revoked_at])).toEqual(
    [
      ['configured', 0, null],
      ['no-keys', 0, '2026-11-21T12:00:00Z'],
      ['other-bot', 0, '2026-11-21T12:00:00Z'],
      ['release-bot', 1, null],
    ],
  );

  const events = [...exportLedger(db)].map(({ event }) => event);
  expect(events.map((event) => event?.event)).toEqual([
    'api-key.created',
    'api-key.created',
    undefined,
    'api-key.revoked',
    'api-key.created',
    'caller.revoked',
    'caller.revoked',
  ]);
  const { jti, ...facts } = events[0]!;
  expect(facts).toEqual({
    event: 'api-key.created',
    iat: NOW,
    caller: 'release-bot',
    key_id: first.key_id,
    expires_at: NOW + DAY,
  });
  expect(events[5]).toEqual({ event: 'caller.revoked', jti: events[5]?.jti, iat: NOW, caller: 'other-bot' });
  expect(verifyLedger(db, testKey('ledger', 'ES256').publicKey)).toMatchObject({
    ok: true,
    token_count: 1,
    event_count: 6,
    integrated_count: 7,
  });
  expect(jti).toBe(ledgerProof(db, jti)?.jti);
});

test('an event has a record with a proof, and nobody takes it for a token', async () => {
  const { app, db, desk, issuer } = await fixture();
  await desk.createKey('release-bot');
  await issuer.integrate();
  const { jti } = [...exportLedger(db)][0]!;
  const served = await app.inject({ url: `/runs/${jti}` });
  expect(served.json()).toMatchObject({ jti, claims: null, event: { event: 'api-key.created' }, integrated: true });
  expect(served.json().proof).not.toBeNull();
  expect(ledgerProof(db, jti)).toEqual(served.json());
  const erased = eraseToken(db, jti, { reason: 'ticket 1', erasedBy: 'operator' });
  await expect(erased).rejects.toMatchObject({ code: 'erasure.is_event' });
  expect((await issuer.run(jti))?.event).not.toBeNull();
});

test('a row of another process is under a checkpoint of the server before a second has passed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { db, desk, issuer, post } = await fixture();
  await desk.revokeCaller('release-bot');
  const { jti } = [...exportLedger(db)][0]!;
  expect((await issuer.run(jti))?.integrated).toBe(false);
  await vi.advanceTimersByTimeAsync(999);
  await new Promise(setImmediate);
  expect((await issuer.run(jti))?.integrated).toBe(true);
  await desk.revokeCaller('second-bot');
  await vi.advanceTimersByTimeAsync(999);
  await new Promise(setImmediate);
  expect((await issuer.run([...exportLedger(db)][1]!.jti))?.integrated).toBe(true);
  // And between rows of its own.
  const token = await post(SIX_FIELDS);
  await desk.revokeCaller('other-bot');
  const last = [...exportLedger(db)].at(-1)!;
  expect([last.seq, claimsOf(token.body)['jti']]).toEqual([3, [...exportLedger(db)][2]?.jti]);
  await vi.advanceTimersByTimeAsync(999);
  await new Promise(setImmediate);
  expect((await issuer.run(last.jti))?.integrated).toBe(true);
});

test('what is revoked in one process is refused by the next request in another', async () => {
  const { db, desk, server } = await fixture();
  const { CallerStore } = await import('@colophon/store');
  const store = new CallerStore(server);
  const key = await desk.createKey('release-bot');
  expect(checkApiKey(key.key, store, NOW)).toEqual({ ok: true, caller: 'release-bot', keyId: key.key_id });
  await desk.revokeKey(key.key_id);
  expect(checkApiKey(key.key, store, NOW)).toEqual({ ok: false, code: 'caller.api_key_revoked' });
  expect(listKeys(db, NOW)[0]?.revoked_at).toBe('2026-11-21T12:00:00Z');
});

test('what cannot be done is refused by a code, and leaves no row', async () => {
  const { db, desk } = await fixture();
  const { key_id } = await desk.createKey('release-bot');
  await desk.revokeKey(key_id);
  await desk.revokeCaller('other-bot');
  const rows = [...exportLedger(db)].length;
  const refused: ReadonlyArray<[code: string, work: Promise<unknown>]> = [
    ['caller.name_invalid', desk.createKey('Release-Bot')],
    ['caller.name_invalid', desk.revokeCaller('')],
    ['caller.revoked', desk.createKey('other-bot')],
    ['caller.expiry_invalid', desk.createKey('x', { lifetimeSeconds: 90 * DAY + 1 })],
    ['caller.expiry_invalid', desk.createKey('x', { lifetimeSeconds: 59 })],
    ['caller.expiry_invalid', desk.createKey('x', { lifetimeSeconds: 0.5 })],
    ['caller.expiry_invalid', desk.createKey('x', { lifetimeSeconds: 8 * DAY, maxDays: 7 })],
    ['caller.key_not_found', desk.revokeKey('AAAAAAAAAAAA')],
    ['caller.revoked_already', desk.revokeKey(key_id)],
    ['caller.revoked_already', desk.revokeCaller('other-bot')],
  ];
  expect(await Promise.all(refused.map(([, work]) => codeOf(work)))).toEqual(refused.map(([code]) => code));
  expect([...exportLedger(db)]).toHaveLength(rows);
  expect(await codeOf(desk.createKey('x', { lifetimeSeconds: 90 * DAY }))).toBe('fulfilled');
});

test('two who revoke the same at once make one row', async () => {
  const { db, desk } = await fixture();
  const { key_id } = await desk.createKey('release-bot');
  const codes = await Promise.all([codeOf(desk.revokeKey(key_id)), codeOf(desk.revokeKey(key_id))]);
  expect(codes.sort()).toEqual(['caller.revoked_already', 'fulfilled']);
  expect([...exportLedger(db)]).toHaveLength(2);
});

test.each(['a', '0', 'release-bot', 'a.b_c-d', 'a'.repeat(64)])('%s is the name of a caller', (name) => {
  expect(isCallerName(name)).toBe(true);
});

test.each(['', 'A', '-a', '.a', '_a', 'a b', 'a/b', 'é', 'a\n', 'a'.repeat(65)])(
  '%j is no name of a caller',
  (name) => {
    expect(isCallerName(name)).toBe(false);
  },
);
