import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';
import { DecisionWriter } from './decision-writer.ts';
import type {
  EvidenceArtifact,
  EvidenceCommit,
  EvidenceDecision,
  EvidenceEntry,
  NewDecision,
  NewEvidence,
  NewReceipt,
} from './evidence-record.ts';
import {
  EVIDENCE_STEPS,
  FIRST_EVIDENCE_SCHEMA,
  KEEP_NEWEST_APPROVAL,
  MARK_REVIEWED_RUNS,
  NOTE_APPROVALS,
} from './evidence-schema.ts';
import { type EntrySet, EVIDENCE_COLUMNS, type EvidenceQuestion, writeSelect } from './evidence-select.ts';
import { insertInto, valuesOf } from './insert-row.ts';

/** Compiles a pattern for `~`: true when the whole text matches. */
export type CompileMatcher = (pattern: string) => (text: string) => boolean;

/** What the store leaves to its caller. */
export type EvidenceRules = {
  readonly compileMatcher: CompileMatcher;
};

const ENTRY_COLUMNS = [
  'bundle_sha256',
  'kind',
  'predicate_type',
  'issuer',
  'subject',
  'trigger',
  'jti',
  'log_id',
  'log_index',
  'integrated_at',
  'imported_at',
  'identity',
  'statement',
  'bundle',
] as const;

/** Whether a run was reviewed is what reviews say. */
const RUN_COLUMNS = EVIDENCE_COLUMNS.run.filter((column) => column !== 'reviewed' && column !== 'entry_id');
const REVIEW_COLUMNS = EVIDENCE_COLUMNS.review.filter((column) => column !== 'entry_id');

const RECEIPT_COLUMNS = [
  'receipt_hash',
  'run_id',
  'witness',
  'place',
  'agent_name',
  'agent_version',
  'prompt_hash',
  'pack_hash',
  'main_model',
  'imported_at',
  'envelope',
] as const;
const RECEIPT_MODEL_COLUMNS = ['upstream', 'requested', 'served', 'substituted', 'answers', 'output_tokens'] as const;

const MARK_NEW_RUN = `${MARK_REVIEWED_RUNS} AND entry_id = ?1`;
const NOTE_NEW_APPROVAL = `${NOTE_APPROVALS} AND review.entry_id = ?1 ${KEEP_NEWEST_APPROVAL}`;
/** Of a review that is new: the runs of its commits, and those of its artifacts. */
const MARK_OF_REVIEW = ['commit', 'artifact'].map((kind) => {
  const column = kind === 'commit' ? 'commit_sha' : 'sha256';
  const links = `evidence_${kind}_link`;
  return `${MARK_REVIEWED_RUNS} AND entry_id IN (SELECT other.entry_id FROM ${links} AS own
    JOIN ${links} AS other ON other.${column} = own.${column} WHERE own.entry_id = ?1)`;
});
/**
 * Of a run and its receipt, whichever came last: another model answered, if only once. Also where the run names a model
 * that did not answer, since naming another one must not hide it.
 */
const MARK_SUBSTITUTED = `UPDATE evidence_run SET model_substituted = 1 WHERE receipt_hash = ?1 AND EXISTS (
  SELECT 1 FROM evidence_receipt AS receipt JOIN evidence_receipt_model AS model USING (receipt_hash)
  WHERE receipt.receipt_hash = ?1 AND model.substituted = 1
    AND evidence_run.agent_name = receipt.agent_name AND evidence_run.agent_version = receipt.agent_version
    AND evidence_run.prompt_hash = receipt.prompt_hash AND evidence_run.pack_hash = receipt.pack_hash)`;
/**
 * Verified evidence and, apart from it, decisions that webhooks say they made; and the questions that are asked about
 * them. Evidence was verified by the caller.
 */
export class EvidenceStore {
  readonly #db: Database;
  readonly #insertEntry: StatementSync;
  readonly #insertRun: StatementSync;
  readonly #insertReview: StatementSync;
  readonly #insertReviewClaim: StatementSync;
  readonly #insertClaim: StatementSync;
  readonly #insertArtifact: StatementSync;
  readonly #linkArtifact: StatementSync;
  readonly #insertCommit: StatementSync;
  readonly #linkCommit: StatementSync;
  readonly #markSubstituted: StatementSync;
  readonly #markNewRun: StatementSync;
  /** What follows from a review, in order. */
  readonly #ofReview: readonly StatementSync[];
  readonly #insertReceipt: StatementSync;
  readonly #insertReceiptModel: StatementSync;
  readonly #receipt: StatementSync;
  readonly #decisions: DecisionWriter;
  readonly #byBundle: StatementSync;
  readonly #byLogEntry: StatementSync;
  readonly #bundle: StatementSync;
  readonly #matchers = new Map<string, (text: string) => boolean>();

  /** @throws StoreError, those of {@link Database.migrate} */
  constructor(db: Database, { compileMatcher }: EvidenceRules) {
    const { sqlite } = db;
    db.migrate('evidence', EVIDENCE_STEPS, FIRST_EVIDENCE_SCHEMA);
    this.#db = db;
    this.#insertEntry = sqlite.prepare(insertInto('evidence_entry', ENTRY_COLUMNS));
    this.#insertRun = sqlite.prepare(insertInto('evidence_run', ['entry_id', ...RUN_COLUMNS]));
    this.#insertReview = sqlite.prepare(insertInto('evidence_review', ['entry_id', ...REVIEW_COLUMNS]));
    this.#insertReviewClaim = sqlite.prepare(insertInto('evidence_review_claim', ['entry_id', ...REVIEW_COLUMNS]));
    this.#insertClaim = sqlite.prepare(insertInto('evidence_claim', ['entry_id', 'claim', 'value', 'source']));
    this.#insertArtifact = sqlite.prepare(
      `INSERT INTO evidence_artifact (sha256, name, first_at, last_at) VALUES (?1, ?2, ?3, ?3)
       ON CONFLICT (sha256) DO UPDATE SET name = coalesce(name, excluded.name),
         first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`,
    );
    this.#linkArtifact = sqlite.prepare(
      'INSERT OR IGNORE INTO evidence_artifact_link (sha256, entry_id) VALUES (?, ?)',
    );
    this.#insertCommit = sqlite.prepare(
      `INSERT INTO evidence_commit (commit_sha, first_at, last_at) VALUES (?1, ?2, ?2)
       ON CONFLICT (commit_sha) DO UPDATE SET
         first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`,
    );
    this.#linkCommit = sqlite.prepare(
      'INSERT OR IGNORE INTO evidence_commit_link (commit_sha, entry_id) VALUES (?, ?)',
    );
    this.#markSubstituted = sqlite.prepare(MARK_SUBSTITUTED);
    this.#markNewRun = sqlite.prepare(MARK_NEW_RUN);
    this.#ofReview = [NOTE_NEW_APPROVAL, ...MARK_OF_REVIEW].map((sql) => sqlite.prepare(sql));
    this.#insertReceipt = sqlite.prepare(insertInto('evidence_receipt', RECEIPT_COLUMNS));
    this.#insertReceiptModel = sqlite.prepare(
      insertInto('evidence_receipt_model', ['receipt_hash', 'position', ...RECEIPT_MODEL_COLUMNS]),
    );
    this.#receipt = sqlite.prepare('SELECT envelope FROM evidence_receipt WHERE receipt_hash = ?');
    this.#decisions = new DecisionWriter(sqlite);
    this.#byBundle = sqlite.prepare('SELECT bundle_sha256 FROM evidence_entry WHERE bundle_sha256 = ?');
    this.#byLogEntry = sqlite.prepare(
      `SELECT bundle_sha256 FROM evidence_entry entry
       WHERE log_index = ?1 AND log_id = ?2 AND issuer = ?3 AND subject = ?4 AND statement IS ?5 AND
         (?6 IS NULL OR EXISTS (SELECT 1 FROM evidence_artifact_link WHERE entry_id = entry.id AND sha256 = ?6))`,
    );
    this.#bundle = sqlite.prepare('SELECT bundle FROM evidence_entry WHERE bundle_sha256 = ?');
    sqlite.function('colophon_full_match', { deterministic: true }, (value, pattern) => {
      if (typeof value !== 'string' || typeof pattern !== 'string') return null;
      const matcher = this.#matchers.get(pattern) ?? compileMatcher(pattern);
      this.#matchers.set(pattern, matcher);
      return matcher(value) ? 1 : 0;
    });
  }

  /**
   * Stores it; where this very bundle is there already, or another with the same signature in the same log entry, its
   * SHA-256. Anybody can write a bundle's JSON anew, and makes no second signature by it. Call inside `db.write`.
   */
  add(evidence: NewEvidence): Uint8Array | undefined {
    const known = this.#byBundle.get(evidence.bundle_sha256) ?? this.#byLogEntry.get(...logEntryOf(evidence));
    if (known !== undefined) return known['bundle_sha256'] as Uint8Array;
    const entryId = Number(this.#insertEntry.run(...valuesOf(evidence, ENTRY_COLUMNS)).lastInsertRowid);
    const { run, review, claims, artifacts, commits, integrated_at } = evidence;
    if (run !== undefined) this.#insertRun.run(entryId, ...valuesOf(run, RUN_COLUMNS));
    if (review !== undefined) {
      const insert = evidence.kind === 'review' ? this.#insertReview : this.#insertReviewClaim;
      insert.run(entryId, ...valuesOf(review, REVIEW_COLUMNS));
    }
    for (const { claim, value = null, source = null } of claims) this.#insertClaim.run(entryId, claim, value, source);
    for (const { sha256, name = null } of artifacts) {
      this.#insertArtifact.run(sha256, name, integrated_at);
      this.#linkArtifact.run(sha256, entryId);
    }
    for (const commit of commits) {
      this.#insertCommit.run(commit, integrated_at);
      this.#linkCommit.run(commit, entryId);
    }
    if (run !== undefined) this.#markNewRun.run(entryId);
    if (run?.receipt_hash !== undefined) this.#markSubstituted.run(run.receipt_hash);
    if (evidence.kind === 'review') for (const step of this.#ofReview) step.run(entryId);
    return undefined;
  }

  /** Stores a receipt; false where it is there already. Call inside `db.write`. */
  addReceipt(receipt: NewReceipt): boolean {
    if (this.#receipt.get(receipt.receipt_hash) !== undefined) return false;
    this.#insertReceipt.run(...valuesOf(receipt, RECEIPT_COLUMNS));
    for (const [position, model] of receipt.models.entries()) {
      this.#insertReceiptModel.run(receipt.receipt_hash, position, ...valuesOf(model, RECEIPT_MODEL_COLUMNS));
    }
    this.#markSubstituted.run(receipt.receipt_hash);
    return true;
  }

  /** The receipt of this hash (`sha256:<hex>`), as it was imported. */
  receipt(hash: string): Uint8Array | undefined {
    return (this.#receipt.get(hash) as { envelope: Uint8Array } | undefined)?.envelope;
  }

  /**
   * Stores what a webhook says that it decided; false where a decision of the same request by the same webhook is there
   * already, which stays. Call inside `db.write`.
   */
  addDecision(decision: NewDecision): boolean {
    return this.#decisions.add(decision);
  }

  /** The bundle of this SHA-256, byte for byte as it was imported. */
  bundle(sha256: Uint8Array): Uint8Array | undefined {
    const row = this.#bundle.get(sha256) as { bundle: Uint8Array } | undefined;
    return row?.bundle;
  }

  /**
   * Rows of the question's set, as many as its limit, each read when it is asked for; in no promised order unless the
   * question orders them. To be gone through at once, before anything else is asked or written.
   */
  select(question: EvidenceQuestion & { readonly set: EntrySet }): Iterable<EvidenceEntry>;
  select(question: EvidenceQuestion & { readonly set: 'artifacts' }): Iterable<EvidenceArtifact>;
  select(question: EvidenceQuestion & { readonly set: 'commits' }): Iterable<EvidenceCommit>;
  select(question: EvidenceQuestion & { readonly set: 'decisions' }): Iterable<EvidenceDecision>;
  select(question: EvidenceQuestion): Iterable<unknown> {
    const { sql, parameters } = writeSelect(question);
    this.#matchers.clear();
    return this.#db.sqlite.prepare(sql).iterate(...parameters);
  }

  /** How SQLite would answer the question, a line for each step: `SEARCH … USING INDEX …` or `SCAN …`. */
  explain(question: EvidenceQuestion): string[] {
    const { sql, parameters } = writeSelect(question);
    const steps = this.#db.sqlite.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    return steps.map(({ detail }) => String(detail));
  }
}

/** What no two signatures have in common. A file is told by its digest, since nothing is stated about it. */
function logEntryOf({ log_index, log_id, issuer, subject, statement, artifacts }: NewEvidence) {
  const artifact = statement === undefined ? artifacts[0]?.sha256 : undefined;
  return [log_index, log_id, issuer, subject, statement ?? null, artifact ?? null] as const;
}
