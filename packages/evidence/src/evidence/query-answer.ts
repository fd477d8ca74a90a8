import type { CertificateIdentity, LogReference, Statement } from '@colophon/records';
import type {
  EvidenceArtifact,
  EvidenceCommit,
  EvidenceEntry,
  EvidenceKind,
  EvidenceQuestion,
  EvidenceSet,
  EvidenceStore,
} from '@colophon/store';

/** A signature that was found: of `runs`, `reviews` and `entries`. */
export type EntryRow = {
  /** SHA-256 of the bundle, hex. */
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly log: LogReference;
  readonly certificate: CertificateIdentity;
  readonly statement?: Statement;
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

/** The rows of an answer; `more` says that there are more than the question's limit. */
export type QueryAnswer = { readonly limit: number; readonly more: boolean } & (
  | { readonly set: 'runs' | 'reviews' | 'entries'; readonly rows: readonly EntryRow[] }
  | { readonly set: 'artifacts'; readonly rows: readonly ArtifactRow[] }
  | { readonly set: 'commits'; readonly rows: readonly CommitRow[] }
);

/** Asks the store and writes its rows as they go out: wire names, times RFC 3339. */
export function answerQuery(store: EvidenceStore, question: EvidenceQuestion): QueryAnswer {
  const { set, limit } = question;
  const asked = { ...question, limit: limit + 1 };
  if (isSet(asked, 'artifacts')) return { set: 'artifacts', ...cut(store.select(asked).map(artifactRow), limit) };
  if (isSet(asked, 'commits')) return { set: 'commits', ...cut(store.select(asked).map(commitRow), limit) };
  const entrySet = set as 'runs' | 'reviews' | 'entries';
  return { set: entrySet, ...cut(store.select({ ...asked, set: entrySet }).map(entryRow), limit) };
}

function isSet<Set extends EvidenceSet>(
  question: EvidenceQuestion,
  set: Set,
): question is EvidenceQuestion & { set: Set } {
  return question.set === set;
}

function cut<Row>(rows: readonly Row[], limit: number): { limit: number; more: boolean; rows: readonly Row[] } {
  return { limit, more: rows.length > limit, rows: rows.slice(0, limit) };
}

function entryRow(entry: EvidenceEntry): EntryRow {
  return {
    id: Buffer.from(entry.bundle_sha256).toString('hex'),
    kind: entry.kind,
    log: { logIndex: entry.log_index, logId: entry.log_id, integratedAt: writeTime(entry.integrated_at) },
    certificate: JSON.parse(entry.identity) as CertificateIdentity,
    ...(entry.statement === null ? {} : { statement: JSON.parse(entry.statement) as Statement }),
  };
}

function artifactRow({ sha256, name, first_at, last_at, entries }: EvidenceArtifact): ArtifactRow {
  const seen = { first_seen: writeTime(first_at), last_seen: writeTime(last_at), entries };
  return { sha256, ...(name === null ? {} : { name }), ...seen };
}

function commitRow({ commit_sha, first_at, last_at, entries }: EvidenceCommit): CommitRow {
  return { commit_sha, first_seen: writeTime(first_at), last_seen: writeTime(last_at), entries };
}

function writeTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}
