import type { IdentityTokenClaims } from '@colophon/records';
import {
  alsoHaving,
  count,
  digestHex,
  documentOf,
  flag,
  having,
  listOf,
  oneOf,
  orNull,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';
import { LEDGER_EVENTS } from './ledger-event-kind.ts';

/** A ledger that was frozen, as the first row of the one in its place names it. */
export const restoredLedger = having('the ledger that was frozen, and that this one continues in its place', {
  origin: string('its name'),
  key_id: string('SHA-256 of its key, hex'),
  pinned_size: { ...count, description: 'rows that it had, by the largest checkpoint that is known' },
  pinned_root: orNull(string('root over them, hex; null where no checkpoint is known')),
  kept_size: { ...count, description: 'rows that were left of it, and are still served' },
  reason: string('why, in the words of the operator'),
});

const ledgerEvent = alsoHaving(
  having('what happened', {
    event: oneOf('its kind', LEDGER_EVENTS),
    jti: string('id of the event, a UUID'),
    iat: { ...count, description: 'seconds since the epoch' },
  }),
  {
    caller: string('the caller whom it is about'),
    key_id: string('id of the API key'),
    restored: restoredLedger,
    expires_at: { ...count, description: 'from when on the key is refused, seconds since the epoch' },
    erased_jti: string('jti of the token whose row was erased'),
    erased_leaf_index: { ...count, description: 'leaf index of the row that was erased' },
    erased_leaf_hash: { ...digestHex, description: 'leaf hash of the row that was erased, hex' },
    erased_ledger: string('the frozen ledger that the erased row is in; absent where it is in the same ledger'),
    reason: string('why, in the words of whoever erased it'),
    erased_by: string('the account of the operating system that erased it'),
  },
);
/** A row of the ledger that is no token. */
export type LedgerEvent = ResultOf<typeof ledgerEvent>;

const erasure = having('that the row was erased', {
  jti: string('id of the event that records it'),
  at: timestamp,
  reason: string('why, in the words of whoever erased it'),
  erased_by: string('the account of the operating system that erased it'),
});

/** What is said of a row once it is erased. */
export const erasedToken = {
  jti: string('id of the token'),
  leaf_index: { ...count, description: 'index of its leaf, which stays' },
  erased: erasure,
  is_resumed: flag('whether an earlier command had erased it, and this one removed the copies that were left'),
} as const;

const issuanceRecord = having('one issued token, or one event', {
  jti: string('id of the token or event'),
  seq: { ...count, description: 'its leaf index in the ledger’s tree' },
  issued_at: { ...timestamp, description: 'the token’s iat' },
  claims: orNull(documentOf('the token’s claims; null for an event, and once the people in it were erased')),
  event: orNull(ledgerEvent),
  authorization: orNull(
    documentOf('on whose authority it was written; null where that is not recorded, and once erased'),
  ),
  payload: orNull(string('the token’s payload segment, base64url: what the leaf was made of, with the salt before it')),
  authorization_payload: orNull(
    string('authorization as it stands in the leaf, behind payload and one newline, base64url'),
  ),
  salt: orNull(string('hex')),
  content_hash: orNull({
    ...digestHex,
    description:
      'SHA-256 of salt ‖ payload, or of salt ‖ payload ‖ newline ‖ authorization, hex; stays once they are erased',
  }),
  leaf_version: { ...count, description: 'how the leaf is made of jti, issued_at and content_hash: 2' },
  leaf_hash: { ...digestHex, description: 'RFC 6962 leaf hash, hex' },
  erased: orNull(erasure),
  integrated: flag('whether a signed checkpoint covers it yet; it does within a second'),
});

/** One issued token, or one event, as `/runs/{jti}` and the ledger's export show it. */
export type IssuanceRecord = ResultOf<typeof issuanceRecord> & { readonly claims: IdentityTokenClaims | null };

/** A record with its inclusion proof, as `/runs/{jti}` answers. */
export const provenRecordSchema = alsoHaving(issuanceRecord, {
  proof: orNull(
    having('that the leaf is under a signed checkpoint; null for the moment before the first one over it', {
      leaf_index: count,
      tree_size: count,
      root_hash: digestHex,
      hashes: listOf('audit path, nearest to the leaf first (RFC 6962 §2.1.1)', digestHex),
      checkpoint: string('signed note over the tree'),
    }),
  ),
});

const { $schema, ...written } = resultOf('the file that the records were written to', {
  out: string('its path'),
  record_count: count,
});
export type WrittenRecords = ResultOf<typeof written>;

/** `colophon ledger export`: a list, in whose records the contract wants a `jti`; with --out where it was written. */
export const ledgerExportResult = {
  $schema,
  title: 'every token that was issued, and every event',
  anyOf: [listOf('the oldest first', issuanceRecord), written],
} as const;
