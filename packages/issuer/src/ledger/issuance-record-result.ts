import type { IdentityTokenClaims } from '@colophon/records';
import {
  count,
  digestHex,
  documentOf,
  flag,
  having,
  listOf,
  orNull,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';

const issuanceRecord = having('one issued token', {
  jti: string('id of the token'),
  seq: { ...count, description: 'its leaf index in the ledger’s tree' },
  issued_at: { ...timestamp, description: 'the token’s iat' },
  claims: orNull(documentOf('the token’s claims; null once the people in it were erased')),
  payload: orNull(string('the token’s payload segment, base64url: what the leaf was made of, with the salt before it')),
  salt: orNull(string('hex')),
  leaf_hash: { ...digestHex, description: 'RFC 6962 leaf hash over SHA-256(salt ‖ payload), hex' },
  integrated: flag('whether a signed checkpoint covers it yet; it does within a second'),
});

/** One issued token as `/runs/{jti}` and the ledger's export show it. */
export type IssuanceRecord = ResultOf<typeof issuanceRecord> & { readonly claims: IdentityTokenClaims | null };

const { $schema, ...written } = resultOf('the file that the records were written to', {
  out: string('its path'),
  record_count: count,
});
export type WrittenRecords = ResultOf<typeof written>;

/** `colophon ledger export`: a list, in whose records the contract wants a `jti`; with --out where it was written. */
export const ledgerExportResult = {
  $schema,
  title: 'every token that was issued',
  anyOf: [listOf('the oldest first', issuanceRecord), written],
} as const;
