import {
  alsoHaving,
  count,
  digestHex,
  having,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';

/** What is found about a certificate. */
export const FINDINGS = ['claims_differ', 'token_unissued', 'jti_missing', 'certificate_unreadable'] as const;

const LOG_KINDS = ['ct', 'rekor'] as const;

const difference = alsoHaving(
  having('a place in the certificate that says something else than the ledger', {
    field: string('OID of the extension, or not_before'),
    claims: listOf('the claims that it carries', string('the name of a claim')),
  }),
  {
    expected: string('what it would say of the token in the ledger'),
    found: string('what it says'),
  },
);

const place = {
  log: oneOf('certificate log, or transparency log', LOG_KINDS),
  log_index: { ...count, description: 'of the entry' },
  serial_number: string('of the certificate, lower-case hex; empty where it cannot be read'),
} as const;
const jti = string('id of the token that the certificate names');

const finding = alsoHaving(
  having('a certificate that the ledger does not bear out', {
    ...place,
    code: oneOf('what is wrong', FINDINGS),
    differences: listOf('each place that says something else', difference),
  }),
  { jti },
);

const log = alsoHaving(
  having('a log that was read to its end', {
    log: place.log,
    url: string('its address'),
    log_id: { ...digestHex, description: 'SHA-256 of its key' },
    start: { ...count, description: 'the first entry that was read' },
    tree_size: { ...count, description: 'entries of the log; where the next reading may start' },
    root_hash: { ...digestHex, description: 'of the tree of that size, as the log signed it' },
    certificate_count: { ...count, description: 'certificates in the entries, whoever they name' },
  }),
  {
    start_root_hash: {
      ...digestHex,
      description: 'of the entries before start: root_hash of the reading that ended there',
    },
    signed_at: { ...timestamp, description: 'the time in the signed tree head' },
  },
);

/** `colophon ledger reconcile`. */
export const reconciliationResult = resultOf('certificates in logs, held against the ledger', {
  issuer: string('the issuer whose certificates were looked for'),
  logs: listOf('each of them', log),
  agreeing_count: { ...count, description: 'certificates of the issuer that say what the ledger says' },
  unvouched_count: {
    ...count,
    description:
      'certificates in a transparency log that name the issuer and are no pinned authority’s: anybody may write those',
  },
  findings: listOf('certificates that the ledger does not bear out', finding),
  erased: listOf(
    'certificates whose row was erased: only their time was compared',
    having('a certificate', { ...place, jti }),
  ),
});
export type ReconciliationResult = ResultOf<typeof reconciliationResult>;
