import type { IdentityTokenClaims } from '@colophon/records';
import type { LedgerRow } from '@colophon/store';
import type { IssuanceRecord } from './issuance-record-result.ts';
import { isLedgerEvent } from './ledger-event.ts';
import { contentHash } from './ledger-leaf.ts';

type RecordedErasure = Pick<LedgerRow, 'payload'> | undefined;

/**
 * `treeSize`: leaves under the newest checkpoint; `erasure`: the row that records that this one was erased.
 */
export function issuanceRecord(row: LedgerRow, treeSize: number, erasure: RecordedErasure): IssuanceRecord {
  const { jti, seq, issued_at, salt, leaf_version, leaf_hash, payload, authorization } = row;
  const members: unknown = payload === null ? null : JSON.parse(payload);
  const event = isLedgerEvent(members) ? members : null;
  return {
    jti,
    seq,
    issued_at: timeOf(issued_at),
    claims: event === null ? (members as IdentityTokenClaims | null) : null,
    event,
    authorization: authorization === null ? null : (JSON.parse(authorization) as IssuanceRecord['authorization']),
    payload: payload === null ? null : base64url(payload),
    authorization_payload: authorization === null ? null : base64url(authorization),
    salt: salt === null ? null : hex(salt),
    content_hash: contentHashOf(row),
    leaf_version,
    leaf_hash: hex(leaf_hash),
    erased: erasedBy(erasure),
    integrated: seq < treeSize,
  };
}

function contentHashOf({ salt, payload, authorization, content_hash }: LedgerRow): string | null {
  if (salt === null || payload === null) return content_hash && hex(content_hash);
  return contentHash(salt, payload, authorization);
}

function erasedBy(row: RecordedErasure): IssuanceRecord['erased'] {
  const event: unknown = row?.payload == null ? null : JSON.parse(row.payload);
  if (!isLedgerEvent(event)) return null;
  const { jti, iat, reason = '', erased_by = '' } = event;
  return { jti, at: timeOf(iat), reason, erased_by };
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
