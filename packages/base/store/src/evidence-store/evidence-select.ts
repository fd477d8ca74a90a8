import type { DecisionList } from './evidence-record.ts';
import { isListedValue, type ListedValue, OF_DECISION, splitListed } from './listed-value.ts';

/** Sets that answer with entries. */
const ENTRY_SETS = ['runs', 'reviews', 'review-claims', 'entries'] as const;
export type EntrySet = (typeof ENTRY_SETS)[number];
/** What can be asked for. */
export const EVIDENCE_SETS = [...ENTRY_SETS, 'artifacts', 'commits', 'decisions'] as const;
export type EvidenceSet = (typeof EVIDENCE_SETS)[number];

const REVIEW_COLUMNS = [
  'human_reviewer',
  'review_timestamp',
  'decision',
  'repo',
  'commit_sha',
  'review_duration_seconds',
] as const;

/** Of a decision of an admission webhook, what its request says. */
export const DECISION_REQUEST_COLUMNS = [
  'time',
  'request_uid',
  'webhook',
  'operation',
  'kind',
  'namespace',
  'name',
  'owner',
  'user',
  'mode',
  'admitted',
  'enforced',
] as const;
/** The same of each of its images. */
export const DECISION_IMAGE_COLUMNS = [
  'place',
  'image',
  'digest',
  'image_admitted',
  'exception_owner',
  'exception_until',
  'valid_until',
  'cached',
] as const;

/** The columns that a question may name, by table. The names are the only text of a question that becomes SQL. */
export const EVIDENCE_COLUMNS = {
  entry: ['kind', 'predicate_type', 'issuer', 'subject', 'trigger', 'jti', 'log_id', 'log_index', 'integrated_at'],
  run: [
    'agent_name',
    'agent_version',
    'model_id',
    'model_provider',
    'model_temperature',
    'model_max_tokens',
    'prompt_hash',
    'context_token_count',
    'pack_hash',
    'rules_evaluated',
    'rules_violated',
    'reviewer',
    'reviewed_at',
    'review_duration_seconds',
    'approved',
    'commit_sha',
    'lines_added',
    'lines_removed',
    'model_requested',
    'model_substituted',
    'receipt_hash',
    'reviewed',
    'entry_id',
  ],
  receipt: ['place'],
  receipt_model: ['upstream', 'requested', 'served', 'substituted'],
  review: [...REVIEW_COLUMNS, 'entry_id'],
  review_claim: [...REVIEW_COLUMNS, 'entry_id'],
  artifact: ['sha256', 'name', 'first_at', 'last_at'],
  commit: ['commit_sha', 'first_at', 'last_at'],
  claim: ['value', 'source'],
  decision: [...DECISION_REQUEST_COLUMNS, ...DECISION_IMAGE_COLUMNS],
  decision_listed: ['value'],
} as const;

/**
 * Columns with so few values that finding by one of them is finding half of all: where a question has another condition,
 * SQLite, which keeps no statistics here, is to go by that one.
 */
const OF_FEW_VALUES: Partial<Record<Table, readonly string[]>> = {
  decision: ['webhook', 'operation', 'kind', 'mode', 'admitted', 'enforced', 'image_admitted', 'cached'],
};

/** A column of EVIDENCE_COLUMNS; `claim` says whose value or source it is, `list` which list of a decision. */
export type EvidenceColumn = {
  readonly table: keyof typeof EVIDENCE_COLUMNS;
  readonly name: string;
  readonly claim?: string;
  readonly list?: DecisionList;
};

/** `~` is a match of the whole text by the store's own matcher. */
export type EvidenceOperator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '~' | 'in';

/** A condition over one set. A comparison with a value that is not there does not hold, whatever the operator. */
export type EvidenceFilter =
  | { readonly all: readonly EvidenceFilter[] }
  | { readonly any: readonly EvidenceFilter[] }
  | Comparison;
/** One comparison. */
export type Comparison = {
  readonly column: EvidenceColumn;
  readonly operator: EvidenceOperator;
  readonly values: readonly (string | number)[];
};

/** A question to the store. */
export type EvidenceQuestion = {
  readonly set: EvidenceSet;
  readonly where?: EvidenceFilter;
  /** Columns of the set's own rows. */
  readonly orderBy?: ReadonlyArray<{ readonly column: EvidenceColumn; readonly direction: 'asc' | 'desc' }>;
  readonly limit: number;
};

/** SQL and what is bound to it, in order. */
export type BoundSql = { readonly sql: string; readonly parameters: readonly (string | number)[] };

const ENTRY = `entry.bundle_sha256, entry.kind, entry.predicate_type, entry.log_id, entry.log_index,
  entry.integrated_at, entry.identity, entry.statement`;

type Table = keyof typeof EVIDENCE_COLUMNS;

const SETS: Readonly<
  Record<EvidenceSet, { select: string; own: readonly Table[]; ofEntries: readonly [string, string] }>
> = {
  runs: {
    select: `SELECT ${ENTRY} FROM evidence_run AS run JOIN evidence_entry AS entry ON entry.id = run.entry_id`,
    own: ['run', 'entry'],
    ofEntries: ['entry.id IN (', ')'],
  },
  reviews: {
    select: `SELECT ${ENTRY} FROM evidence_review AS review JOIN evidence_entry AS entry ON entry.id = review.entry_id`,
    own: ['review', 'entry'],
    ofEntries: ['entry.id IN (', ')'],
  },
  'review-claims': {
    select: `SELECT ${ENTRY} FROM evidence_review_claim AS review_claim
      JOIN evidence_entry AS entry ON entry.id = review_claim.entry_id`,
    own: ['review_claim', 'entry'],
    ofEntries: ['entry.id IN (', ')'],
  },
  entries: {
    select: `SELECT ${ENTRY} FROM evidence_entry AS entry`,
    own: ['entry'],
    ofEntries: ['entry.id IN (', ')'],
  },
  artifacts: {
    select: `SELECT artifact.sha256, artifact.name, artifact.first_at, artifact.last_at,
        (SELECT count(*) FROM evidence_artifact_link AS own_link WHERE own_link.sha256 = artifact.sha256) AS entries
      FROM evidence_artifact AS artifact`,
    own: ['artifact'],
    ofEntries: [
      'artifact.sha256 IN (SELECT link.sha256 FROM evidence_artifact_link AS link WHERE link.entry_id IN (',
      '))',
    ],
  },
  commits: {
    select: `SELECT "commit".commit_sha, "commit".first_at, "commit".last_at,
        (SELECT count(*) FROM evidence_commit_link AS own_link WHERE own_link.commit_sha = "commit".commit_sha) AS entries
      FROM evidence_commit AS "commit"`,
    own: ['commit'],
    ofEntries: [
      '"commit".commit_sha IN (SELECT link.commit_sha FROM evidence_commit_link AS link WHERE link.entry_id IN (',
      '))',
    ],
  },
  decisions: {
    select: `SELECT request.request, decision.detail FROM evidence_decision AS decision
      JOIN evidence_decision_request AS request ON request.id = decision.request_id`,
    own: ['decision'],
    ofEntries: ['decision.id IN (', ')'],
  },
};

/** The run of a receipt: it names the receipt, and is of the same agent, prompt, policy pack and model. */
const OBSERVED_RUN = `JOIN evidence_run AS observed ON observed.receipt_hash = receipt.receipt_hash
      AND observed.agent_name = receipt.agent_name AND observed.agent_version = receipt.agent_version
      AND observed.prompt_hash = receipt.prompt_hash AND observed.pack_hash = receipt.pack_hash
      AND observed.model_id = receipt.main_model`;

/** The entries to which a row of a table belongs. */
const ENTRIES_OF: Readonly<Record<Table, string>> = {
  entry: 'SELECT entry.id FROM evidence_entry AS entry WHERE ',
  run: 'SELECT run.entry_id FROM evidence_run AS run WHERE ',
  receipt: `SELECT observed.entry_id FROM evidence_receipt AS receipt ${OBSERVED_RUN} WHERE `,
  receipt_model: `SELECT observed.entry_id FROM evidence_receipt_model AS receipt_model
    JOIN evidence_receipt AS receipt ON receipt.receipt_hash = receipt_model.receipt_hash ${OBSERVED_RUN} WHERE `,
  review: 'SELECT review.entry_id FROM evidence_review AS review WHERE ',
  review_claim: 'SELECT review_claim.entry_id FROM evidence_review_claim AS review_claim WHERE ',
  claim: 'SELECT claim.entry_id FROM evidence_claim AS claim WHERE claim.claim = ? AND ',
  artifact: `SELECT about.entry_id FROM evidence_artifact AS artifact
    JOIN evidence_artifact_link AS about ON about.sha256 = artifact.sha256 WHERE `,
  commit: `SELECT about.entry_id FROM evidence_commit AS "commit"
    JOIN evidence_commit_link AS about ON about.commit_sha = "commit".commit_sha WHERE `,
  // Decisions are no entries: only the set of decisions finds by these.
  decision: 'SELECT decision.id FROM evidence_decision AS decision WHERE ',
  decision_listed: `SELECT decision_listed.decision_id FROM evidence_decision_listed AS decision_listed
    WHERE decision_listed.list = ? AND `,
};

/**
 * Writes a question as SQL: names from EVIDENCE_COLUMNS, every value bound.
 * @throws TypeError for a column or an operator that is not listed, or that the set does not have
 */
export function writeSelect({ set, where, orderBy = [], limit }: EvidenceQuestion): BoundSql {
  const { select, own } = SETS[set];
  const parameters: (string | number)[] = [];
  const { joined, rest } = set === 'decisions' ? splitListed(where) : { joined: undefined, rest: where };
  const grounds: Grounds = { set, parameters, isJoined: joined !== undefined };
  let sql = select;
  if (joined !== undefined) {
    sql += ` JOIN evidence_decision_listed AS listed ON ${OF_DECISION}`;
    pushListed(joined, parameters);
  }
  if (rest !== undefined) sql += ` WHERE ${writeFilter(rest, grounds)}`;
  const order = orderBy.map(({ column, direction }) => {
    if (!own.includes(column.table)) throw new TypeError(`${set} cannot be ordered by ${column.table}`);
    return `${writeColumn(column, grounds)} ${direction === 'desc' ? 'DESC' : 'ASC'}`;
  });
  if (order.length > 0) sql += ` ORDER BY ${order.join(', ')}`;
  parameters.push(limit);
  return { sql: `${sql} LIMIT ?`, parameters };
}

type Grounds = {
  readonly set: EvidenceSet;
  readonly parameters: (string | number)[];
  /** Whether the rows are found by a listed value, whose table has the time too. */
  readonly isJoined: boolean;
};

function pushListed({ column: { list }, values: [value = ''] }: ListedValue, parameters: (string | number)[]): void {
  parameters.push(list, value);
}

function writeFilter(filter: EvidenceFilter, grounds: Grounds): string {
  if ('all' in filter) return `(${filter.all.map((part) => writeFilter(part, grounds)).join(' AND ')})`;
  if ('any' in filter) return `(${filter.any.map((part) => writeFilter(part, grounds)).join(' OR ')})`;
  const { column } = filter;
  const { set, parameters } = grounds;
  const { own, ofEntries } = SETS[set];
  if (own.includes(column.table)) return writeComparison(filter, grounds);
  if (set === 'decisions' && isListedValue(filter) && filter.isLookedFor) {
    pushListed(filter, parameters);
    return `EXISTS (SELECT 1 FROM evidence_decision_listed AS listed WHERE ${OF_DECISION})`;
  }
  const isOfDecision = column.table === 'decision' || column.table === 'decision_listed';
  if (isOfDecision !== (set === 'decisions')) throw new TypeError(`${set} have nothing of ${column.table}`);
  if (column.table === 'claim') parameters.push(column.claim ?? '');
  if (column.table === 'decision_listed') parameters.push(column.list ?? '');
  return `${ofEntries[0]}${ENTRIES_OF[column.table]}${writeComparison(filter, grounds)}${ofEntries[1]}`;
}

function writeComparison({ column, operator, values }: Comparison, grounds: Grounds): string {
  const { parameters } = grounds;
  const name = writeColumn(column, grounds);
  parameters.push(...values);
  // Two ranges, each of which an index has.
  if (operator === '!=') parameters.push(...values);
  switch (operator) {
    case 'in':
      return `${name} IN (${values.map(() => '?').join(', ')})`;
    case '~':
      return `colophon_full_match(${name}, ?)`;
    case '!=':
      return `(${name} < ? OR ${name} > ?)`;
    case '=':
      return OF_FEW_VALUES[column.table]?.includes(column.name) ? `likelihood(${name} = ?, 0.5)` : `${name} = ?`;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return `${name} ${operator} ?`;
    default:
      throw new TypeError(`${operator} is no operator`);
  }
}

function writeColumn({ table, name }: EvidenceColumn, { isJoined }: Grounds): string {
  const names: readonly string[] = Object.hasOwn(EVIDENCE_COLUMNS, table) ? EVIDENCE_COLUMNS[table] : [];
  if (!names.includes(name)) throw new TypeError(`${table} has no column ${name}`);
  return isJoined && table === 'decision' && name === 'time' ? '"listed"."time"' : `"${table}"."${name}"`;
}
