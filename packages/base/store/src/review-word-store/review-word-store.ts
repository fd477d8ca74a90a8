import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';
import type { EvidenceEntry } from '../evidence-store/evidence-record.ts';

/**
 * Which entries of the evidence are words of reviewers, or withdrawals of such words: what the list of standing negatives
 * is made of.
 */
const STEPS = [
  `CREATE TABLE evidence_word (
     entry_id INTEGER PRIMARY KEY,
     kind TEXT NOT NULL,
     address TEXT,
     withdrawn BLOB,
     certified_at INTEGER
   ) STRICT;
   CREATE INDEX evidence_word_kind ON evidence_word (kind);
   CREATE INDEX evidence_word_withdrawn ON evidence_word (withdrawn);
   CREATE TABLE evidence_list (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     sequence INTEGER NOT NULL
   ) STRICT;
   INSERT INTO evidence_list VALUES (1, 0);`,
];

/** Number of the first schema that was released. */
const FIRST = 3;

const COLUMNS = [
  'bundle_sha256',
  'kind',
  'predicate_type',
  'log_id',
  'log_index',
  'integrated_at',
  'identity',
  'statement',
]
  .map((column) => `entry.${column}`)
  .concat('word.entry_id', 'word.certified_at')
  .join(', ');

/** What a person said, by their address; a withdrawal names the bundle of the rejection that it is about. */
export type ReviewWordKind =
  /** `certified_at`: from when on its certificate is valid, in milliseconds since the epoch. */
  | { readonly kind: 'rejection' | 'approval'; readonly address: string; readonly certified_at: number }
  | { readonly kind: 'withdrawal'; readonly withdrawn: Uint8Array };

/**
 * A word; `entry_id` grows in the order in which words came. From `certified_at` on its certificate is valid, in milliseconds
 * since the epoch; null for withdrawals.
 */
export type ReviewWordEntry = EvidenceEntry & { readonly entry_id: number; readonly certified_at: number | null };

/** The words of reviewers in the evidence, and the number of the newest list that was made of them. */
export class ReviewWordStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #newest: StatementSync;
  readonly #rejections: StatementSync;
  readonly #approvalsOfArtifact: StatementSync;
  readonly #approvalsOfCommit: StatementSync;
  readonly #withdrawals: StatementSync;
  readonly #count: StatementSync;

  /** The tables of EvidenceStore are there already. @throws StoreError, those of {@link Database.migrate} */
  constructor(db: Database) {
    db.migrate('evidence_word', STEPS, FIRST);
    const { sqlite } = db;
    this.#db = db;
    this.#insert = sqlite.prepare(
      `INSERT OR IGNORE INTO evidence_word (entry_id, kind, address, withdrawn, certified_at)
       SELECT id, ?2, ?3, ?4, ?5 FROM evidence_entry WHERE bundle_sha256 = ?1`,
    );
    this.#newest = sqlite.prepare('SELECT count(*) AS newest FROM evidence_word');
    // CROSS JOIN keeps the order: SQLite would rather go through all approvals than through those of one artifact.
    const words = 'evidence_word word CROSS JOIN evidence_entry entry ON entry.id = word.entry_id';
    const order = 'ORDER BY word.entry_id';
    this.#rejections = sqlite.prepare(`SELECT ${COLUMNS} FROM ${words} WHERE word.kind = 'rejection' ${order}`);
    this.#withdrawals = sqlite.prepare(`SELECT ${COLUMNS} FROM ${words} WHERE word.withdrawn = ? ${order}`);
    const linked = (table: string, name: string) =>
      sqlite.prepare(
        `SELECT ${COLUMNS} FROM ${table} link
           CROSS JOIN evidence_word word ON word.entry_id = link.entry_id
           CROSS JOIN evidence_entry entry ON entry.id = link.entry_id
         WHERE link.${name} = ? AND word.kind = 'approval' AND word.address = ? AND entry.issuer = ?`,
      );
    this.#approvalsOfArtifact = linked('evidence_artifact_link', 'sha256');
    this.#approvalsOfCommit = linked('evidence_commit_link', 'commit_sha');
    this.#count = sqlite.prepare('UPDATE evidence_list SET sequence = sequence + 1 RETURNING sequence');
  }

  /** Notes what the entry of this bundle is. Call inside the `db.write` that adds the entry. */
  add(bundleSha256: Uint8Array, word: ReviewWordKind): void {
    const address = word.kind === 'withdrawal' ? null : word.address;
    const withdrawn = word.kind === 'withdrawal' ? word.withdrawn : null;
    const certifiedAt = word.kind === 'withdrawal' ? null : word.certified_at;
    this.#insert.run(bundleSha256, word.kind, address, withdrawn, certifiedAt);
  }

  /** Grows with every word that is added; 0 where there is none. */
  newest(): number {
    return Number(this.#newest.get()?.['newest'] ?? 0);
  }

  /** Rejections in the order in which they came, each read when it is asked for. Nothing is written while they are gone through. */
  rejections(): Iterable<ReviewWordEntry> {
    return this.#rejections.iterate() as Iterable<unknown> as Iterable<ReviewWordEntry>;
  }

  /** A person's approvals of an artifact (SHA-256, hex) or a commit. */
  approvals(
    of: { readonly artifact: string } | { readonly commit: string },
    by: { readonly issuer: string; readonly address: string },
  ): Iterable<ReviewWordEntry> {
    const [statement, name] =
      'artifact' in of ? [this.#approvalsOfArtifact, of.artifact] : [this.#approvalsOfCommit, of.commit];
    return statement.iterate(name, by.address, by.issuer) as Iterable<unknown> as Iterable<ReviewWordEntry>;
  }

  /** Withdrawals of the rejection in the bundle of this SHA-256, in the order in which they came. */
  withdrawals(rejectionSha256: Uint8Array): Iterable<ReviewWordEntry> {
    return this.#withdrawals.iterate(rejectionSha256) as Iterable<unknown> as Iterable<ReviewWordEntry>;
  }

  /** How SQLite finds the approvals of an artifact, a line for each step. */
  explainApprovals(): string[] {
    const plan = this.#db.sqlite.prepare(`EXPLAIN QUERY PLAN ${this.#approvalsOfArtifact.sourceSQL}`);
    return plan.all('', '', '').map(({ detail }) => String(detail));
  }

  /** The number of the next list; it is durable, and never given again, once the `db.write` around it is. */
  nextSequence(): number {
    return Number(this.#count.get()?.['sequence']);
  }
}
