import { createHash } from 'node:crypto';
import { parseStrictJson } from '@colophon/json';
import { isSha256Hex } from '@colophon/notation';
import { DEFAULT_PREDICATE_BASE, type VerifiedSignature } from '@colophon/records';
import { type Database, type EvidenceKind, EvidenceStore, ReviewWordStore } from '@colophon/store';
import type { FastifyInstance } from 'fastify';
import { decisionColumns } from '../decision/decision-columns.ts';
import { MOST_DECISIONS, readDecisions } from '../decision/decision-lines.ts';
import { type CheckSender, type SenderRefusal, SenderRefused } from '../decision/decision-sender.ts';
import { EvidenceError } from '../evidence-error/evidence-error.ts';
import { registerDecisionRoutes } from '../http/decision-routes.ts';
import { registerEvidenceRoutes } from '../http/evidence-routes.ts';
import { layOutEvidence } from '../import/evidence-columns.ts';
import { PublishedList, type SignStatement } from '../negatives/published-list.ts';
import { reviewWordKind } from '../negatives/review-word.ts';
import { parseQuery } from '../query/parse-query.ts';
import { receiptColumns, type VerifyReceipt } from '../receipt/receipt-columns.ts';
import { answerQuestion, compileMatcher, type QueryResult } from './asked-question.ts';

/** Bytes of a receipt that is taken. */
export const MOST_RECEIPT_BYTES = 128 * 1024;

/** Largest bundle that is taken, in bytes. */
export const DEFAULT_MAX_BUNDLE_BYTES = 4 * 1024 * 1024;

/**
 * Verifies a bundle against pinned trust material: certificate, log entry, signature. Throws an error with a `code`
 * when it does not hold; a code that starts with `bundle.` says that the bytes are no bundle of the kind.
 */
export type VerifyBundle = (
  bundle: Uint8Array,
  options: { readonly artifactSha256?: string },
) => VerifiedSignature | Promise<VerifiedSignature>;

export type EvidenceOptions = {
  readonly db: Database;
  readonly verify: VerifyBundle;
  /** Default: the constant base of our predicate types. */
  readonly predicateBase?: string;
  readonly maxBundleBytes?: number;
  /** Issuers whose e-mail certificates are people's, exactly; without it, reviews by such certificates are refused. */
  readonly peopleIssuers?: readonly string[];
  /** Verifies receipts of witnesses; without it none is taken. */
  readonly verifyReceipt?: VerifyReceipt;
  /** Says who may hand in decisions of admission webhooks; anybody where it is absent. */
  readonly checkSender?: CheckSender | undefined;
  /** Answers questions of others beside this process; in it where absent. */
  readonly ask?: (text: string) => Promise<QueryResult>;
  /** Signs the list of standing negatives in the store's own name; without it there is no list. */
  readonly sign?: SignStatement;
  /** Milliseconds since the epoch. */
  readonly clock?: { now(): number };
};

/** What became of a bundle. */
export type ImportedEvidence = {
  /** SHA-256 of the bundle as it is kept, hex: the name by which it can be fetched again. */
  readonly id: string;
  readonly kind: EvidenceKind;
  /** False when the same signature was there already. */
  readonly isNew: boolean;
  readonly log_entry: VerifiedSignature['log_entry'];
};

/** What became of several decisions. */
export type ImportedDecisions = {
  readonly stored: number;
  /** Were there already. */
  readonly known: number;
};

/** Verified statements, kept and queried. */
export type Evidence = {
  /**
   * Verifies the bundle and keeps it, durably before the promise is fulfilled; a signature is kept once, however its
   * bundle is written.
   * @throws EvidenceError `evidence.too_large`, `evidence.bundle_malformed`, `evidence.not_verified`,
   * `evidence.statement_malformed`, `evidence.contradicts_certificate`, `evidence.reviewer_unknown`; nothing is written then. StoreError where the disk fails.
   */
  importBundle(bundle: Uint8Array, options?: { readonly artifactSha256?: string }): Promise<ImportedEvidence>;
  /**
   * Verifies a witness's receipt and keeps it.
   * @throws EvidenceError `evidence.receipt_refused`; StoreError where the disk fails
   */
  importReceipt(envelope: Uint8Array): Promise<{ readonly id: string; readonly isNew: boolean }>;
  /**
   * Keeps what webhooks say that they decided: a JSON array of records, or one a line, all or none, durably before the
   * promise is fulfilled. A decision of the same request by the same webhook is kept once.
   * @param spend in the same transaction: a refusal undoes it
   * @throws EvidenceError `evidence.decisions_malformed`, `evidence.too_large`; SenderRefused; StoreError where the disk fails
   */
  importDecisions(body: Uint8Array, spend?: () => SenderRefusal | undefined): Promise<ImportedDecisions>;
  /** The receipt of this hash (hex), as it was imported. */
  receipt(id: string): Uint8Array | undefined;
  /** Answers a question of docs/query.md, while nothing else is done. */
  query(text: string): QueryResult;
  /** The same for somebody else: elsewhere, where the options say so. @throws EvidenceError `evidence.question_too_costly` */
  ask(text: string): Promise<QueryResult>;
  /** How the question would be answered, a line for each step; empty for a question that cannot be read. */
  explain(text: string): readonly string[];
  /** The bundle of this id (hex), byte for byte as it was imported. */
  bundle(id: string): Uint8Array | undefined;
  /**
   * The signed list of standing negatives, which are the digests of its pages, as a bundle; absent where nobody signs for
   * the store.
   * @throws EvidenceError `evidence.negatives_too_many`, `evidence.negatives_unsigned`
   */
  negatives?(): Promise<Uint8Array>;
  /** A page of that list, or of one of a moment ago, by its SHA-256 in hex. @throws EvidenceError as negatives */
  negativesPage?(id: string): Promise<Uint8Array | undefined>;
  /** Mounts `POST /evidence`, `GET /evidence/{id}`, `POST /receipts`, `GET /receipts/{id}`, `POST /decisions`, `GET /query` and, where there is a list, `GET /negatives` and its pages. */
  register(app: FastifyInstance): Promise<void>;
};

/** Opens the evidence store in `db`. Only what `verify` lets pass is ever written. */
export function createEvidence(options: EvidenceOptions): Evidence {
  const { db, verify, predicateBase = DEFAULT_PREDICATE_BASE, maxBundleBytes = DEFAULT_MAX_BUNDLE_BYTES } = options;
  const { peopleIssuers } = options;
  const clock = options.clock ?? { now: () => Date.now() };
  const store = new EvidenceStore(db, { compileMatcher });
  const words = new ReviewWordStore(db);
  const list =
    options.sign && new PublishedList({ db, words, sign: options.sign, predicateBase, clock, peopleIssuers });
  const evidence: Evidence = {
    async importBundle(bundle, { artifactSha256 } = {}) {
      if (bundle.length > maxBundleBytes) {
        throw new EvidenceError('evidence.too_large', `A bundle is at most ${maxBundleBytes} bytes long.`);
      }
      // The bytes that are verified are the ones that are stored, whatever the caller does to its own meanwhile.
      const bytes = Uint8Array.from(bundle);
      const verified = await verifyOrRefuse(verify, bytes, artifactSha256);
      const columns = layOutEvidence(verified, predicateBase, peopleIssuers);
      const word = reviewWordKind(verified, predicateBase, peopleIssuers);
      const bundle_sha256 = createHash('sha256').update(bytes).digest();
      const known = await db.write(() => {
        const there = store.add({ ...columns, bundle: bytes, bundle_sha256, imported_at: clock.now() });
        // Also of one that was there: it may be a word only since the configuration says whose word counts.
        if (word !== undefined) words.add(there ?? bundle_sha256, word);
        return there;
      });
      const id = Buffer.from(known ?? bundle_sha256).toString('hex');
      return { id, kind: columns.kind, isNew: known === undefined, log_entry: verified.log_entry };
    },
    async importReceipt(envelope) {
      const bytes = Uint8Array.from(envelope);
      const parsed = parseStrictJson(bytes, { maxBytes: MOST_RECEIPT_BYTES });
      const read = parsed.ok ? options.verifyReceipt?.(parsed.value) : undefined;
      if (!read?.ok) {
        const reason = read?.fault ?? (parsed.ok ? 'key-unknown' : 'malformed');
        throw new EvidenceError('evidence.receipt_refused', 'The receipt counts for nothing here.', { reason });
      }
      const columns = receiptColumns(read.known, bytes, clock.now());
      const isNew = await db.write(() => store.addReceipt(columns));
      return { id: columns.receipt_hash.slice('sha256:'.length), isNew };
    },
    async importDecisions(body, spend) {
      const read = readDecisions(body);
      if (!read.ok) {
        const { issues } = read;
        throw new EvidenceError('evidence.decisions_malformed', 'These are no records of decisions.', { issues });
      }
      if (read.records.length > MOST_DECISIONS) {
        throw new EvidenceError('evidence.too_large', `At most ${MOST_DECISIONS} decisions are taken at once.`);
      }
      const decisions = read.records.map((record) => decisionColumns(record, clock.now()));
      return db.write(() => {
        const refusal = spend?.();
        if (refusal !== undefined) throw new SenderRefused(refusal);
        const stored = decisions.filter((decision) => store.addDecision(decision)).length;
        return { stored, known: decisions.length - stored };
      });
    },
    receipt: (id) => (isSha256Hex(id) ? store.receipt(`sha256:${id}`) : undefined),
    query: (text) => answerQuestion(store, text),
    ask: async (text) => (options.ask === undefined ? answerQuestion(store, text) : options.ask(text)),
    explain(text) {
      const parsed = parseQuery(text);
      return parsed.ok ? store.explain(parsed.value) : [];
    },
    ...(list === undefined
      ? {}
      : {
          negatives: () => list.current(),
          negativesPage: async (id) => (isSha256Hex(id) ? list.page(`sha256:${id}`) : undefined),
        }),
    bundle: (id) => (isSha256Hex(id) ? store.bundle(Buffer.from(id, 'hex')) : undefined),
    async register(app) {
      await app.register(async (scope) => registerEvidenceRoutes(scope, evidence, maxBundleBytes));
      await app.register(async (scope) => registerDecisionRoutes(scope, evidence, options.checkSender));
    },
  };
  return evidence;
}

const MESSAGES: Readonly<Record<string, string>> &
  Record<'evidence.bundle_malformed' | 'evidence.not_verified', string> = {
  'evidence.bundle_malformed': 'The bytes are no bundle that can be verified.',
  'evidence.not_verified': 'The bundle does not verify.',
  // What was signed is not in it, and the store has statements alone.
  'artifact.missing': 'The bundle is a signature over a file; the store keeps attestations.',
};

async function verifyOrRefuse(
  verify: VerifyBundle,
  bytes: Uint8Array,
  artifactSha256: string | undefined,
): Promise<VerifiedSignature> {
  try {
    return await verify(bytes, artifactSha256 === undefined ? {} : { artifactSha256 });
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
    // Without a code of its own it is a fault of the verifier, not of the bundle.
    if (reason === undefined) throw cause;
    const isMalformed = reason.startsWith('bundle.');
    const code = isMalformed ? 'evidence.bundle_malformed' : 'evidence.not_verified';
    throw new EvidenceError(code, MESSAGES[reason] ?? MESSAGES[code], { reason, cause });
  }
}
