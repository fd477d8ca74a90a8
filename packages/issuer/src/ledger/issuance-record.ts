import type { IdentityTokenClaims } from '@colophon/records';
import type { LedgerRow } from '@colophon/store';
import type { IssuanceRecord } from './issuance-record-result.ts';
import { isLedgerEvent } from './ledger-event.ts';

/** `treeSize`: leaves under the newest checkpoint. */
export function issuanceRecord(row: LedgerRow, treeSize: number): IssuanceRecord {
  const { jti, seq, issued_at, salt, leaf_hash, payload, authorization } = row;
  const members: unknown = payload === null ? null : JSON.parse(payload);
  const event = isLedgerEvent(members) ? members : null;
  return {
    jti,
    seq,
    issued_at: new Date(issued_at * 1000).toISOString().replace('.000Z', 'Z'),
    claims: event === null ? (members as IdentityTokenClaims | null) : null,
    event,
    authorization: authorization === null ? null : (JSON.parse(authorization) as IssuanceRecord['authorization']),
    payload: payload === null ? null : base64url(payload),
    authorization_payload: authorization === null ? null : base64url(authorization),
    salt: salt === null ? null : hex(salt),
    leaf_hash: hex(leaf_hash),
    integrated: seq < treeSize,
  };
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
