import { generateKeyPairSync } from 'node:crypto';
import { encodeBase64, preAuthenticationEncoding } from '@colophon/encoding';
import type { JsonValue } from '@colophon/json';
import { SigningKey } from '@colophon/keys';
import {
  createWitnessReceiptStatement,
  DEFAULT_PREDICATE_BASE,
  type ServedModel,
  type Statement,
  type VerifiedSignature,
  type WitnessReceipt,
} from '@colophon/records';
import { type Database, openDatabase } from '@colophon/store';
import { readReceipt } from '@colophon/witness';
import { createEvidence } from '../src/index.ts';

const newKey = () => new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
/** Keys of a witness that is listed, and of one that is not. */
export const WITNESS = newKey();
export const STRANGER = newKey();

const IN_TOTO = 'application/vnd.in-toto+json';
export const PROMPT = `sha256:${'c'.repeat(64)}`;
export const PACK = `sha256:${'d'.repeat(64)}`;
export const ARTIFACT = 'a'.repeat(64);
export const COMMIT = '1'.repeat(40);

const RECEIPT: WitnessReceipt = {
  run_id: '3f2b1c4d-0000-4000-8000-000000000001',
  witness: { key_id: WITNESS.kid, place: 'isolated' },
  caller: 'ci',
  agent: { name: 'code-writer', version: '1.4.0' },
  input: { prompt_hash: PROMPT, prompt_seen: true },
  policy: { pack_hash: PACK },
  started_at: '2026-11-21T09:00:00Z',
  ended_at: '2026-11-21T09:05:00Z',
  signed_at: '2026-11-21T09:05:00Z',
  upstreams: [{ name: 'anthropic', address: 'https://api.anthropic.com' }],
  models: [{ upstream: 'anthropic', requested: 'claude-opus-4-1', served: 'claude-opus-4-1', answers: 1 }],
};

/** A model that answered, as receipts name it. */
export const served = (name: string, more: Partial<ServedModel> = {}): ServedModel => ({
  upstream: 'anthropic',
  served: name,
  answers: 1,
  ...more,
});

/** The bytes of a receipt that a key signed. */
export function receiptOf(changes: Partial<WitnessReceipt> = {}, key = WITNESS): Uint8Array {
  const receipt = { ...RECEIPT, witness: { key_id: key.kid, place: 'isolated' as const }, ...changes };
  const payload = bytesOf(JSON.stringify(createWitnessReceiptStatement(receipt, DEFAULT_PREDICATE_BASE)));
  const sig = encodeBase64(key.signDer(preAuthenticationEncoding({ payloadType: IN_TOTO, payload })));
  const signatures = [{ keyid: key.kid, sig }];
  return bytesOf(JSON.stringify({ payloadType: IN_TOTO, payload: encodeBase64(payload), signatures }));
}

export const bytesOf = (text: string) => new TextEncoder().encode(text);

/** How a server verifies receipts: by the keys that it lists. */
export function verifyReceipt(envelope: unknown) {
  const read = readReceipt(
    envelope as JsonValue,
    (keyId) => (keyId === WITNESS.kid ? WITNESS.publicKey : undefined),
    DEFAULT_PREDICATE_BASE,
  );
  if (!read.ok) return read;
  const { receipt, digest } = read;
  return { ok: true, known: { receipt, digest, witness: 'ci-witness', place: receipt.witness.place } } as const;
}

type Named = { readonly [member: string]: unknown };
export type RunChanges = {
  readonly agent?: Named;
  readonly model?: Named;
  readonly prompt?: string;
  readonly pack?: string;
  readonly commit?: string;
  /** Of the receipt that it names, 64 hex digits. */
  readonly receipt?: string;
  readonly artifact?: string;
  /** Digests of all that it is about, in place of `artifact`. */
  readonly subjects?: ReadonlyArray<Record<string, string>>;
  readonly review?: Named;
  /** When the log took it, RFC 3339; the later the later it was kept where absent. */
  readonly at?: string;
};

export type Kept = {
  readonly db: Database;
  /** The store as the next process would open it. */
  reopen(): void;
  readonly evidence: ReturnType<typeof createEvidence>;
  keepRun(changes?: RunChanges): Promise<string>;
  /** A review that its reviewer signed, unless `subject` says otherwise. */
  keepReview(
    changes?: Named & {
      readonly artifact?: string;
      readonly digest?: Record<string, string>;
      readonly subject?: string;
      /** As that of a run. */
      readonly at?: string;
    },
  ): Promise<string>;
  /** Imports a receipt; its id. */
  keepReceipt(changes?: Partial<WitnessReceipt>): Promise<string>;
  /** What a question finds: ids of bundles, digests of artifacts without their algorithm, or commits. */
  find(question: string): readonly string[];
};

/** An evidence store in memory. */
export function witnessedRuns(cleanup: (undo: () => void) => void): Kept {
  const db = openDatabase(':memory:');
  cleanup(() => db.close());
  let count = 0;
  let next: VerifiedSignature;
  const open = () => createEvidence({ db, verify: () => next, verifyReceipt });
  let evidence = open();
  const keep = async (subject: string, statement: Statement, at?: string) => {
    const integrated_at = at ?? `2026-11-21T10:${String(count % 60).padStart(2, '0')}:00Z`;
    next = {
      certificate_identity: { issuer: 'https://issuer.example', subject, claims: {}, sources: {} },
      log_entry: { log_index: count, log_id: 'ee', integrated_at },
      statement,
    };
    count += 1;
    return (await evidence.importBundle(bytesOf(`bundle ${count}`))).id;
  };
  return {
    db,
    get evidence() {
      return evidence;
    },
    reopen: () => {
      evidence = open();
    },
    keepRun: async ({
      agent,
      model,
      prompt = PROMPT,
      pack = PACK,
      commit = COMMIT,
      receipt,
      artifact = ARTIFACT,
      subjects = [{ sha256: artifact }],
      review,
      at,
    } = {}) => {
      const said = { name: 'code-writer', version: '1.4.0', ...agent };
      const predicate = {
        agent: said,
        model: { id: 'claude-opus-4-1', provider: 'anthropic', ...model },
        input: { prompt_hash: prompt },
        policy: { pack_hash: pack },
        git: { commit_sha: commit },
        ...(review && { human_review: review }),
        ...(receipt && {
          witness: { run_id: RECEIPT.run_id, place: 'isolated', receipt_hash: `sha256:${receipt}` },
        }),
      };
      return keep(`agent:${said.name}`, statementOf('agent-run', predicate, subjects), at);
    },
    keepReview: async ({ artifact, digest, subject, at, ...changes } = {}) => {
      const predicate = {
        human_reviewer: 'dana@example.com',
        review_timestamp: '2026-11-21T09:30:00Z',
        decision: 'approved',
        ...changes,
      };
      const about = digest ?? { sha256: artifact ?? '9'.repeat(64) };
      const statement = statementOf('agent-review', JSON.parse(JSON.stringify(predicate)), [about]);
      return keep(subject ?? `reviewer:${predicate.human_reviewer}`, statement, at);
    },
    keepReceipt: async (changes) => (await evidence.importReceipt(receiptOf(changes))).id,
    find: (question) => {
      const result = evidence.query(question);
      if (!result.ok) throw new Error(JSON.stringify(result.issues));
      return result.value.rows.map((row) =>
        'digest' in row ? row.digest.slice('sha256:'.length) : 'id' in row ? row.id : row.commit_sha,
      );
    },
  };
}

function statementOf(kind: string, predicate: unknown, digests: ReadonlyArray<Record<string, string>>): Statement {
  const predicateType = `${DEFAULT_PREDICATE_BASE}/${kind}/v1`;
  const subject = digests.map((digest) => ({ name: 'app', digest }));
  return { _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate };
}
