import { formatInstant } from '@colophon/notation';
import {
  type AdmissionDecisionRecord,
  type CertificateIdentity,
  type DecidedImage,
  fieldBasis,
  type Statement,
} from '@colophon/records';
import type {
  EntrySet,
  EvidenceArtifact,
  EvidenceCommit,
  EvidenceDecision,
  EvidenceEntry,
  EvidenceQuestion,
  EvidenceSet,
  EvidenceStore,
} from '@colophon/store';
import { decisionBasis } from '../decision/decision-basis.ts';
import type { ArtifactRow, CommitRow, DecisionRow, EntryRow } from './query-result.ts';

/** Largest answer, in bytes of the JSON of its rows. */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** The rows of an answer; `more` says that there are more than the question's limit, or than MAX_ANSWER_BYTES hold. */
export type QueryAnswer = { readonly limit: number; readonly more: boolean } & (
  | { readonly set: EntrySet; readonly rows: readonly EntryRow[] }
  | { readonly set: 'artifacts'; readonly rows: readonly ArtifactRow[] }
  | { readonly set: 'commits'; readonly rows: readonly CommitRow[] }
  | { readonly set: 'decisions'; readonly rows: readonly DecisionRow[] }
);

/** Asks the store and writes its rows as they go out: wire names, times RFC 3339. */
export function answerQuery(store: EvidenceStore, question: EvidenceQuestion): QueryAnswer {
  const { set, limit } = question;
  const asked = { ...question, limit: limit + 1 };
  if (isSet(asked, 'artifacts')) return { set: 'artifacts', ...take(store.select(asked), artifactRow, limit) };
  if (isSet(asked, 'commits')) return { set: 'commits', ...take(store.select(asked), commitRow, limit) };
  if (isSet(asked, 'decisions')) return { set: 'decisions', ...take(store.select(asked), decisionRow, limit) };
  const entrySet = set as EntrySet;
  return { set: entrySet, ...take(store.select({ ...asked, set: entrySet }), entryRow, limit) };
}

function isSet<Set extends EvidenceSet>(
  question: EvidenceQuestion,
  set: Set,
): question is EvidenceQuestion & { set: Set } {
  return question.set === set;
}

/** Writes rows while there is room; what comes after is not read from the store. */
function take<Found, Row>(
  found: Iterable<Found>,
  write: (row: Found) => Row,
  limit: number,
): { limit: number; more: boolean; rows: readonly Row[] } {
  const rows: Row[] = [];
  let bytes = 0;
  for (const one of found) {
    const row = write(one);
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    if (rows.length === limit || bytes > MAX_ANSWER_BYTES) return { limit, more: true, rows };
    rows.push(row);
  }
  return { limit, more: false, rows };
}

function entryRow(entry: EvidenceEntry): EntryRow {
  const certificate_identity = JSON.parse(entry.identity) as CertificateIdentity;
  const statement = entry.statement === null ? undefined : (JSON.parse(entry.statement) as Statement);
  return {
    id: Buffer.from(entry.bundle_sha256).toString('hex'),
    kind: entry.kind,
    log_entry: { log_index: entry.log_index, log_id: entry.log_id, integrated_at: formatInstant(entry.integrated_at) },
    certificate_identity,
    ...(statement === undefined ? {} : { statement }),
    basis: fieldBasis(certificate_identity, statement),
  };
}

function artifactRow({ sha256, name, ...seen }: EvidenceArtifact): ArtifactRow {
  return { digest: `sha256:${sha256}`, ...(name === null ? {} : { name }), ...seenRow(seen) };
}

function commitRow({ commit_sha, ...seen }: EvidenceCommit): CommitRow {
  return { commit_sha, ...seenRow(seen) };
}

/** The record as it was sent in, with the one image that the row is about. */
function decisionRow({ request, detail }: EvidenceDecision): DecisionRow {
  const images = detail === null ? [] : [JSON.parse(detail) as DecidedImage];
  const record = { ...(JSON.parse(request) as Omit<AdmissionDecisionRecord, 'images'>), images };
  return { ...record, basis: decisionBasis(record) };
}

function seenRow({ first_at, last_at, entries }: Pick<EvidenceCommit, 'first_at' | 'last_at' | 'entries'>) {
  return { first_seen_at: formatInstant(first_at), last_seen_at: formatInstant(last_at), entry_count: entries };
}
