import { expect, test } from 'vitest';
import { createSystemRandom } from '../ports/system.ts';
import { eventRow, isLedgerEvent } from './ledger-event.ts';
import { contentHash, ledgerLeafHash } from './ledger-leaf.ts';

test('the row of an event has its id and time, and a leaf of its payload', () => {
  const row = eventRow({ event: 'caller.revoked', caller: 'release-bot' }, 1_764_000_000, createSystemRandom());
  const payload = JSON.parse(row.payload!);
  expect(payload).toEqual({ event: 'caller.revoked', jti: row.jti, iat: 1_764_000_000, caller: 'release-bot' });
  expect(row).toMatchObject({ issued_at: 1_764_000_000, authorization: null });
  expect(row.leaf_hash).toEqual(ledgerLeafHash(row, contentHash(row.salt!, row.payload!, null)));
  expect(isLedgerEvent(payload)).toBe(true);
});

test.each([
  [{ event: 'caller.revoked', iss: 'http://localhost:7080' }],
  [{ event: 'caller.admitted' }],
  [{ event: ['caller.revoked'] }],
  [{ iss: 'http://localhost:7080' }],
  [null],
  ['caller.revoked'],
])('%j is no event', (payload) => {
  expect(isLedgerEvent(payload)).toBe(false);
});
