import { createHash } from 'node:crypto';
import { encodeBase64 } from '@colophon/encoding';
import type { SigningKey } from '@colophon/keys';
import { hashLeaf } from '@colophon/merkle';
import type { CtEntryRow, Database, TreeHead } from '@colophon/store';
import { CertificateTree, type SignedTreeHead, signedTreeHead } from './certificate-tree.ts';
import {
  type CertificateEntry,
  encodeDigitallySigned,
  encodeExtraData,
  encodeLeaf,
  encodeTreeHead,
  type SignedCertificateTimestamp,
} from './timestamp.ts';

/** Milliseconds after which a tree head is signed anew although nothing was added: RFC 6962 wants a fresh one. */
export const TREE_HEAD_LIFETIME_MS = 60 * 60 * 1000;

/** A certificate or precertificate whose chain was verified, on its way into the log. */
export type CertificateSubmission =
  | { readonly kind: 'x509'; readonly submitted: Uint8Array; readonly chain: readonly Uint8Array[] }
  | {
      readonly kind: 'precert';
      /** SubjectPublicKeyInfo of the certificate's issuer. */
      readonly issuerSpki: Uint8Array;
      /** The TBSCertificate without the poison. */
      readonly tbs: Uint8Array;
      /** The whole precertificate. */
      readonly submitted: Uint8Array;
      /** Its issuers, DER, nearest first. */
      readonly chain: readonly Uint8Array[];
    };

/** An entry that only has to be put into its place. */
export type PreparedEntry = Omit<CtEntryRow, 'entry_index'>;

/** A certificate transparency log (RFC 6962): append-only, durable, one key. */
export class CertificateLog extends CertificateTree {
  /** SHA-256 over the log's SubjectPublicKeyInfo. */
  readonly logId: Uint8Array;
  readonly #db: Database;
  readonly #key: SigningKey;
  readonly #clock: { now(): Date };

  constructor({
    db,
    key,
    clock,
  }: { readonly db: Database; readonly key: SigningKey; readonly clock: { now(): Date } }) {
    super(db);
    this.#db = db;
    this.#key = key;
    this.#clock = clock;
    this.logId = sha256(key.spki);
  }

  /** Signs the timestamp; the promise it makes holds once {@link append} is on disk, so publish it no earlier. */
  prepare(submission: CertificateSubmission): PreparedEntry {
    const timestamp = this.#clock.now().getTime();
    const entry: CertificateEntry =
      submission.kind === 'x509'
        ? { kind: 'x509', certificate: submission.submitted }
        : { kind: 'precert', issuerKeyHash: sha256(submission.issuerSpki), tbs: submission.tbs };
    const leafInput = encodeLeaf(timestamp, entry);
    const precertificate = submission.kind === 'precert' ? submission.submitted : undefined;
    return {
      leaf_hash: hashLeaf(leafInput),
      submission_hash: sha256(encodeLeaf(0, entry)),
      leaf_input: leafInput,
      extra_data: encodeExtraData(precertificate, submission.chain),
      timestamp,
      signature: this.#key.signDer(leafInput),
    };
  }

  /**
   * Puts the entry into the tree and signs a head over it, both on disk before the answer, in one transaction with what
   * `before` writes. Of a certificate that is in the log already the first timestamp is the answer.
   */
  async append(entry: PreparedEntry, before: () => void = () => {}): Promise<SignedCertificateTimestamp> {
    const written = this.#db.write(() => {
      before();
      return this.#integrate(entry);
    });
    const [timestamp] = await Promise.all([written, this.#db.writeLast(this.#coverAll)]);
    return timestamp;
  }

  /** Logs a submission from outside; the answer is durable. */
  submit(submission: CertificateSubmission): Promise<SignedCertificateTimestamp> {
    return this.append(this.prepare(submission));
  }

  /** The newest tree head, signed anew where it is old. */
  override async treeHead(): Promise<SignedTreeHead> {
    const newest = this.tree.head();
    const isFresh =
      newest?.size === this.tree.size() && this.#clock.now().getTime() - newest.signedAt < TREE_HEAD_LIFETIME_MS;
    return signedTreeHead(isFresh ? newest : await this.#db.write(() => this.#signHead()));
  }

  #integrate(entry: PreparedEntry): SignedCertificateTimestamp {
    const first = this.entryStore.findBySubmission(entry.submission_hash);
    if (first === undefined) this.entryStore.add({ entry_index: this.tree.append(entry.leaf_hash), ...entry });
    const { timestamp, signature } = first ?? entry;
    return { logId: this.logId, timestamp, signature };
  }

  /** Shared by all that is added in one turn, so it is one function. */
  readonly #coverAll = (): void => {
    if (this.tree.head()?.size !== this.tree.size()) this.#signHead();
  };

  #signHead(): TreeHead {
    const size = this.tree.size();
    const root = this.tree.root(size);
    const signedAt = this.#clock.now().getTime();
    const signature = this.#key.signDer(encodeTreeHead({ timestamp: signedAt, size, root }));
    const head = { size, root, note: encodeBase64(signature), signedAt };
    this.tree.saveHead(head);
    return head;
  }
}

/** A timestamp as the submitter gets it (RFC 6962 §4.1). */
export function renderTimestamp({ logId, timestamp, signature }: SignedCertificateTimestamp) {
  return {
    sct_version: 0,
    id: Buffer.from(logId).toString('base64'),
    timestamp,
    extensions: '',
    signature: Buffer.from(encodeDigitallySigned(signature)).toString('base64'),
  };
}

function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}
