import { SOURCED_CLAIMS } from '@colophon/records';
import { type DecisionList, EVIDENCE_SETS, type EvidenceColumn, type EvidenceSet } from '@colophon/store';

/** How the values of a field are written and compared. */
export type FieldType = 'text' | 'digest' | 'number' | 'duration' | 'time' | 'boolean';

/** A field that a question may name. */
export type QueryField = {
  /** The wire path (contract §2.3, §2.4), or the name of our own where the contract has none. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly type: FieldType;
  readonly column: EvidenceColumn;
};

/** The sets of the query language that can be asked now; `entries`, which has what all others have, is told last. */
export const QUERY_SETS: readonly EvidenceSet[] = [...EVIDENCE_SETS.filter((set) => set !== 'entries'), 'entries'];

/** Sets of the language for which nothing is stored yet. */
export const SETS_TO_COME: readonly string[] = ['components'];

type Spec = readonly [name: string, column: string, type: FieldType, ...aliases: string[]];

function fieldsOf(table: EvidenceColumn['table'], specs: readonly Spec[]): readonly QueryField[] {
  return specs.map(([name, column, type, ...aliases]) => ({ name, aliases, type, column: { table, name: column } }));
}

const RUN_FIELDS = fieldsOf('run', [
  ['agent.name', 'agent_name', 'text', 'agent'],
  ['agent.version', 'agent_version', 'text'],
  ['model.id', 'model_id', 'text', 'model'],
  ['model.provider', 'model_provider', 'text', 'provider'],
  ['model.temperature', 'model_temperature', 'number', 'temperature'],
  ['model.max_tokens', 'model_max_tokens', 'number'],
  ['input.prompt_hash', 'prompt_hash', 'digest', 'prompt'],
  ['input.context_token_count', 'context_token_count', 'number'],
  ['policy.pack_hash', 'pack_hash', 'digest', 'policy'],
  ['policy.rules_evaluated', 'rules_evaluated', 'number'],
  ['policy.rules_violated', 'rules_violated', 'number', 'violations'],
  ['human_review.reviewer', 'reviewer', 'text', 'review.reviewer', 'reviewer'],
  ['human_review.reviewed_at', 'reviewed_at', 'time', 'review.time'],
  ['human_review.review_duration_seconds', 'review_duration_seconds', 'duration', 'review.duration', 'duration'],
  ['human_review.approved', 'approved', 'boolean', 'review.approved', 'approved'],
  ['git.commit_sha', 'commit_sha', 'text', 'commit'],
  ['git.lines_added', 'lines_added', 'number'],
  ['git.lines_removed', 'lines_removed', 'number'],
  ['model.requested', 'model_requested', 'text', 'requested'],
  ['model.substituted', 'model_substituted', 'boolean', 'substituted'],
  ['witness.receipt_hash', 'receipt_hash', 'digest', 'receipt'],
  ['reviewed', 'reviewed', 'boolean'],
]);

/** The order in which the store took them: later is larger. */
const sequenceOf = (table: 'run' | 'review' | 'review_claim') => fieldsOf(table, [['sequence', 'entry_id', 'number']]);

/** What the receipt says of each model that answered; a run has as many as there were, all seen at one place. */
const RECEIPT_FIELDS = [
  ...fieldsOf('receipt', [['models.place', 'place', 'text']]),
  ...fieldsOf('receipt_model', [
    ['models.upstream', 'upstream', 'text'],
    ['models.requested', 'requested', 'text'],
    ['models.served', 'served', 'text', 'served'],
    ['models.substituted', 'substituted', 'boolean'],
  ]),
];

const REVIEW_SPECS: readonly Spec[] = [
  ['human_reviewer', 'human_reviewer', 'text', 'reviewer', 'review.reviewer'],
  ['review_timestamp', 'review_timestamp', 'time', 'review.time'],
  ['decision', 'decision', 'text'],
  ['repo', 'repo', 'text'],
  ['commit_sha', 'commit_sha', 'text', 'commit'],
  ['review_duration_seconds', 'review_duration_seconds', 'duration', 'review.duration', 'duration'],
];
const REVIEW_FIELDS = fieldsOf('review', REVIEW_SPECS);
const REVIEW_CLAIM_FIELDS = fieldsOf('review_claim', REVIEW_SPECS);

/**
 * The same of a run for sets whose rows reviews are about too: who reviewed, and whether it passed, is what the reviewer
 * signed. What a run says of it has its wire path and no shorter name.
 */
const RUN_FIELDS_BESIDE_REVIEWS = RUN_FIELDS.map((field) =>
  field.name === 'human_review.reviewer' || field.name === 'human_review.approved' ? { ...field, aliases: [] } : field,
);

const ENTRY_FIELDS = fieldsOf('entry', [
  ['kind', 'kind', 'text'],
  ['predicateType', 'predicate_type', 'text', 'type'],
  ['certificate_identity.issuer', 'issuer', 'text', 'issuer', 'certificate.issuer'],
  ['certificate_identity.subject', 'subject', 'text', 'subject', 'identity', 'certificate.subject'],
  ['certificate_identity.trigger', 'trigger', 'text', 'trigger', 'certificate.trigger'],
  ['certificate_identity.jti', 'jti', 'text', 'jti', 'certificate.jti'],
  ['log_entry.log_id', 'log_id', 'text', 'log.logId'],
  ['log_entry.log_index', 'log_index', 'number', 'index', 'log.logIndex'],
  ['log_entry.integrated_at', 'integrated_at', 'time', 'time', 'log.integratedAt'],
]);

const CLAIM_FIELDS: readonly QueryField[] = SOURCED_CLAIMS.flatMap((claim) => {
  const type = claim === 'policy_pack_hash' || claim === 'prompt_hash' ? 'digest' : 'text';
  return [
    { name: `claims.${claim}`, aliases: [], type, column: { table: 'claim', name: 'value', claim } },
    { name: `sources.${claim}`, aliases: [], type: 'text', column: { table: 'claim', name: 'source', claim } },
  ] as const;
});

const ARTIFACT_LINK = fieldsOf('artifact', [
  ['artifact.sha256', 'sha256', 'digest', 'artifact', 'sha256'],
  ['artifact.name', 'name', 'text'],
]);
const COMMIT_LINK = fieldsOf('commit', [['commit_sha', 'commit_sha', 'text', 'commit']]);
const ARTIFACT_OWN = fieldsOf('artifact', [
  ['digest', 'sha256', 'digest', 'artifact', 'sha256', 'artifact.sha256'],
  ['name', 'name', 'text', 'artifact.name'],
  ['first_seen_at', 'first_at', 'time', 'first_seen'],
  ['last_seen_at', 'last_at', 'time', 'time', 'last_seen'],
]);
const COMMIT_OWN = fieldsOf('commit', [
  ['commit_sha', 'commit_sha', 'text', 'commit', 'sha'],
  ['first_seen_at', 'first_at', 'time', 'first_seen'],
  ['last_seen_at', 'last_at', 'time', 'time', 'last_seen'],
]);

/** A row is one image of a decision: `images` has that one. */
const DECISION_FIELDS: readonly QueryField[] = [
  ...fieldsOf('decision', [
    ['id', 'request_uid', 'text'],
    ['time', 'time', 'time'],
    ['webhook', 'webhook', 'text'],
    ['operation', 'operation', 'text'],
    ['object.kind', 'kind', 'text', 'kind'],
    ['object.namespace', 'namespace', 'text', 'namespace'],
    ['object.name', 'name', 'text', 'name'],
    ['object.owner', 'owner', 'text', 'owner'],
    ['user', 'user', 'text'],
    ['mode', 'mode', 'text'],
    ['admitted', 'admitted', 'boolean'],
    ['enforced', 'enforced', 'boolean'],
    ['images.place', 'place', 'text', 'place'],
    ['images.image', 'image', 'text', 'image'],
    ['images.digest', 'digest', 'digest', 'digest'],
    ['images.admitted', 'image_admitted', 'boolean'],
    ['images.exception.owner', 'exception_owner', 'text', 'exception.owner'],
    ['images.exception.until', 'exception_until', 'time', 'exception.until'],
    ['images.valid_until', 'valid_until', 'time', 'valid_until'],
    ['images.cached', 'cached', 'boolean', 'cached'],
  ]),
  listedField('images.reasons.code', 'reason'),
  listedField('images.policies', 'policy'),
  listedField('images.agents', 'agent'),
  listedField('images.reviewers', 'reviewer'),
];

/** A field of which an image has several values: one of them has to meet a comparison. */
function listedField(name: string, list: DecisionList): QueryField {
  return { name, aliases: [list], type: 'text', column: { table: 'decision_listed', name: 'value', list } };
}

/** The fields of each set; of two that share an alias the first has it. */
export const QUERY_FIELDS: Readonly<Record<EvidenceSet, readonly QueryField[]>> = {
  runs: [...RUN_FIELDS, ...sequenceOf('run'), ...RECEIPT_FIELDS, ...ENTRY_FIELDS, ...CLAIM_FIELDS, ...ARTIFACT_LINK],
  reviews: [...REVIEW_FIELDS, ...sequenceOf('review'), ...ENTRY_FIELDS, ...CLAIM_FIELDS, ...ARTIFACT_LINK],
  'review-claims': [
    ...REVIEW_CLAIM_FIELDS,
    ...sequenceOf('review_claim'),
    ...ENTRY_FIELDS,
    ...CLAIM_FIELDS,
    ...ARTIFACT_LINK,
  ],
  entries: [...ENTRY_FIELDS, ...CLAIM_FIELDS, ...ARTIFACT_LINK, ...COMMIT_LINK],
  artifacts: [
    ...ARTIFACT_OWN,
    ...RUN_FIELDS_BESIDE_REVIEWS,
    ...RECEIPT_FIELDS,
    ...REVIEW_FIELDS,
    ...ENTRY_FIELDS,
    ...CLAIM_FIELDS,
  ],
  commits: [
    ...COMMIT_OWN,
    ...RUN_FIELDS_BESIDE_REVIEWS,
    ...RECEIPT_FIELDS,
    ...REVIEW_FIELDS.filter(({ name }) => name !== 'commit_sha'),
    ...ENTRY_FIELDS,
    ...CLAIM_FIELDS,
    ...ARTIFACT_LINK,
  ],
  decisions: DECISION_FIELDS,
};

/** The field of this name, wire path before alias; undefined where the set has none. */
export function findField(set: EvidenceSet, name: string): QueryField | undefined {
  const fields = QUERY_FIELDS[set];
  return fields.find((field) => field.name === name) ?? fields.find(({ aliases }) => aliases.includes(name));
}

/** The fields of a set for a person: their wire paths, the claims in short. */
export function describeFields(set: EvidenceSet): string {
  const names = QUERY_FIELDS[set].filter(({ column }) => column.table !== 'claim').map(({ name }) => name);
  return set === 'decisions' ? names.join(', ') : [...names, 'claims.<claim>', 'sources.<claim>'].join(', ');
}

/** Every name that the set's fields go by. */
export function fieldNames(set: EvidenceSet): readonly string[] {
  return QUERY_FIELDS[set].flatMap(({ name, aliases }) => [name, ...aliases]);
}
