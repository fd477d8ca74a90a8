import type { IdentityTokenClaims } from '@colophon/records';
import type { LedgerRow } from '@colophon/store';

/** One issued token as `/runs/{jti}` and the ledger's export show it; hashes and salt are lower-case hex. */
export type IssuanceRecord = {
  readonly jti: string;
  /** Its leaf index in the ledger's tree. */
  readonly seq: number;
  /** RFC 3339 with Z; the token's `iat`. */
  readonly issued_at: string;
  /** null once the people in it were erased. */
  readonly claims: IdentityTokenClaims | null;
  /** The token's payload segment, base64url: what the leaf was made of, with `salt` before it. */
  readonly payload: string | null;
  readonly salt: string | null;
  /** RFC 6962 leaf hash over SHA-256(salt ‖ payload). */
  readonly leaf_hash: string;
  /** Whether a signed checkpoint covers it yet; it does within a second. */
  readonly integrated: boolean;
};

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
