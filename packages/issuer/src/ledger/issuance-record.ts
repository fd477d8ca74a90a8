import type { IdentityTokenClaims } from '@colophon/records';
import type { LedgerRow } from '@colophon/store';
import type { IssuanceRecord } from './issuance-record-result.ts';

/** `treeSize`: leaves under the newest checkpoint. */
export function issuanceRecord(row: LedgerRow, treeSize: number): IssuanceRecord {
  const { jti, seq, issued_at, salt, leaf_hash, payload } = row;
  return {
    jti,
    seq,
    issued_at: new Date(issued_at * 1000).toISOString().replace('.000Z', 'Z'),
    claims: payload === null ? null : (JSON.parse(payload) as IdentityTokenClaims),
    payload: payload === null ? null : Buffer.from(payload).toString('base64url'),
    salt: salt === null ? null : hex(salt),
    leaf_hash: hex(leaf_hash),
    integrated: seq < treeSize,
  };
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
