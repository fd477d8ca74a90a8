import {
  type AdmissionDecisionRecord,
  admissionDecisionSchema,
  type FieldBasis,
  type Statement,
} from '@colophon/records';
import {
  alsoHaving,
  certificateIdentity,
  count,
  digest,
  digestHex,
  documentOf,
  fieldBasis,
  flag,
  having,
  listOf,
  logEntry,
  oneOf,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';
import { EVIDENCE_KINDS, EVIDENCE_SETS } from '@colophon/store';

/** A signature that was found: of `runs`, `reviews`, `review-claims` and `entries`. */
const entryRow = alsoHaving(
  having('a signature that was found', {
    id: { ...digestHex, description: 'SHA-256 of the bundle, hex: its name in the store' },
    kind: oneOf('what was signed', EVIDENCE_KINDS),
    log_entry: logEntry,
    certificate_identity: certificateIdentity,
    basis: fieldBasis,
  }),
  { statement: documentOf('the in-toto statement') },
);
export type EntryRow = ResultOf<typeof entryRow> & { readonly statement?: Statement };

const seen = {
  first_seen_at: { ...timestamp, description: 'time of the first log entry about it' },
  last_seen_at: { ...timestamp, description: 'time of the last log entry about it' },
  entry_count: { ...count, description: 'log entries about it' },
} as const;

/** An artifact that was found. */
const artifactRow = alsoHaving(having('an artifact that was found', { digest, ...seen }), {
  name: string('by which a statement calls it'),
});
export type ArtifactRow = ResultOf<typeof artifactRow>;

/** A commit that was found. */
const commitRow = having('a commit that was found', { commit_sha: string('40 or 64 hex digits'), ...seen });
export type CommitRow = ResultOf<typeof commitRow>;

const { $schema: _dialect, title: _title, ...decision } = admissionDecisionSchema;
/** One image of a decision that a webhook says it made; nobody signs it, so each of its names is `declared`. */
const decisionRow = {
  ...decision,
  description: 'one image of a decision of an admission webhook: images has that one, or none where it was about none',
  required: [...decision.required, 'basis'],
  properties: { ...decision.properties, basis: fieldBasis },
} as const;
export type DecisionRow = AdmissionDecisionRecord & { readonly basis: FieldBasis };

/** `colophon query`. */
export const queryResult = resultOf('what the evidence store found', {
  set: oneOf('what was asked for', EVIDENCE_SETS),
  limit: { ...count, description: 'most rows that were asked for' },
  more: flag('whether there are more rows than these'),
  rows: listOf('of the kind that the set has', { anyOf: [entryRow, artifactRow, commitRow, decisionRow] }),
});
