import { formatInstant } from '@colophon/notation';
import {
  type CertificateIdentity,
  type FieldBasis,
  fieldBasis,
  type LogEntry,
  type Statement,
} from '@colophon/records';
import type {
  EntrySet,
  EvidenceArtifact,
  EvidenceCommit,
  EvidenceEntry,
  EvidenceKind,
  EvidenceQuestion,
  EvidenceSet,
  EvidenceStore,
} from '@colophon/store';

/** A signature that was found: of `runs`, `reviews`, `review-claims` and `entries`. */
export type EntryRow = {
  /** SHA-256 of the bundle, hex. */
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly log_entry: LogEntry;
  readonly certificate_identity: CertificateIdentity;
  readonly statement?: Statement;
  /** What each name and hash in certificate and statement rests on, by the field's name in the query language. */
  readonly basis: FieldBasis;
};

/** An artifact that was found; times are those of the log entries about it. */
export type ArtifactRow = {
  readonly sha256: string;
  readonly name?: string;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly entries: number;
};

/** A commit that was found. */
export type CommitRow = Omit<ArtifactRow, 'sha256' | 'name'> & { readonly commit_sha: string };

/** Largest answer, in bytes of the JSON of its rows. */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** The rows of an answer; `more` says that there are more than the question's limit, or than MAX_ANSWER_BYTES hold. */
export type QueryAnswer = { readonly limit: number; readonly more: boolean } & (
  | { readonly set: EntrySet; readonly rows: readonly EntryRow[] }
  | { readonly set: 'artifacts'; readonly rows: readonly ArtifactRow[] }
  | { readonly set: 'commits'; readonly rows: readonly CommitRow[] }
);

/** Asks the store and writes its rows as they go out: wire names, times RFC 3339. */
export function answerQuery(store: EvidenceStore, question: EvidenceQuestion): QueryAnswer {
  const { set, limit } = question;
  const asked = { ...question, limit: limit + 1 };
  if (isSet(asked, 'artifacts')) return { set: 'artifacts', ...take(store.select(asked), artifactRow, limit) };
  if (isSet(asked, 'commits')) return { set: 'commits', ...take(store.select(asked), commitRow, limit) };
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
  const certificate = JSON.parse(entry.identity) as CertificateIdentity;
  const statement = entry.statement === null ? undefined : (JSON.parse(entry.statement) as Statement);
  return {
    id: Buffer.from(entry.bundle_sha256).toString('hex'),
    kind: entry.kind,
    log_entry: { log_index: entry.log_index, log_id: entry.log_id, integrated_at: formatInstant(entry.integrated_at) },
    certificate_identity: certificate,
    ...(statement === undefined ? {} : { statement }),
    basis: fieldBasis(certificate, statement),
  };
}

function artifactRow({ sha256, name, first_at, last_at, entries }: EvidenceArtifact): ArtifactRow {
  const seen = { first_seen: formatInstant(first_at), last_seen: formatInstant(last_at), entries };
  return { sha256, ...(name === null ? {} : { name }), ...seen };
}

function commitRow({ commit_sha, first_at, last_at, entries }: EvidenceCommit): CommitRow {
  return { commit_sha, first_seen: formatInstant(first_at), last_seen: formatInstant(last_at), entries };
}
