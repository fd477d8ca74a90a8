import { createHash, type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { CtEntryRow, CtEntryStore, TreeHead } from '@colophon/store';
import { CT_POISON } from '../ca/certificate-parts.ts';
import { readCertificate, tbsWithout } from '../certificate/certificate.ts';
import { isIssuedBy } from '../certificate/issued-by.ts';
import { decodeEntry, type LoggedCertificate } from '../ct-log/logged-certificate.ts';
import type { CheckedEntry, LogContent, LogTrust } from './log-check.ts';
import { importKey, treeHeadVerifier } from './signed-head.ts';

/** Of a leaf (RFC 6962 §3.4): where its time stands. */
const TIME_FROM = 2;
const TIME_BYTES = 8;

/** The certificate log: leaves, their times and signatures, and the chains beside them. */
export class CertificateLogCheck implements LogContent {
  readonly log = 'certificate';
  readonly tree = 'ct';
  readonly publicKey: Uint8Array;
  readonly #key: KeyObject;
  readonly #entries: CtEntryStore;
  readonly #isSigned: (head: TreeHead) => boolean;
  /** Chains that hang together, by the digest of their certificates: there are as many as authorities. */
  readonly #chains = new Map<string, X509Certificate | undefined>();
  #count = 0;

  constructor(entries: CtEntryStore, { ctPublicKey }: LogTrust) {
    this.publicKey = ctPublicKey;
    this.#key = importKey(ctPublicKey);
    this.#entries = entries;
    this.#isSigned = treeHeadVerifier(ctPublicKey);
  }

  isSigned(head: TreeHead): boolean {
    return this.#isSigned(head);
  }

  *entries(): Generator<CheckedEntry> {
    for (const row of this.#entries.rowsFrom()) {
      this.#count += 1;
      const { entry_index, leaf_hash, leaf_input } = row;
      yield { index: entry_index, leafHash: leaf_hash, content: leaf_input, problems: [...this.#problemsOf(row)] };
    }
  }

  otherProblems(): readonly string[] {
    return [];
  }

  checks() {
    return [
      { check: 'timestamps', detail: `${this.#count} signatures over certificate and time` },
      { check: 'chains', detail: `${this.#count} certificates, each issued by the next, up to a root` },
    ];
  }

  *#problemsOf({ leaf_input, submission_hash, timestamp, signature, extra_data }: CtEntryRow): Generator<string> {
    const leaf = Buffer.from(leaf_input);
    const timeless = Buffer.from(leaf);
    timeless.fill(0, TIME_FROM, TIME_FROM + TIME_BYTES);
    if (leaf.length < TIME_FROM + TIME_BYTES || leaf.readBigUInt64BE(TIME_FROM) !== BigInt(timestamp))
      yield 'its time is not that of its leaf';
    if (!createHash('sha256').update(timeless).digest().equals(submission_hash))
      yield 'the hash of what was submitted is not that of its leaf';
    if (!verify('sha256', leaf_input, this.#key, signature)) yield 'its timestamp is not signed by the log’s key';
    const entry = decodeEntry(leaf_input, extra_data);
    if (entry === undefined || !this.#isWhole(entry))
      yield 'the certificates beside its leaf are not those that were submitted';
  }

  /** Whether the chain holds what the leaf says, each certificate issued by the next. */
  #isWhole({ submitted, chain, precertificate }: LoggedCertificate): boolean {
    try {
      const certificate = new X509Certificate(submitted);
      const issuer = this.#issuerOf(chain) ?? (chain.length === 0 ? certificate : undefined);
      if (issuer === undefined || !isIssuedBy(certificate, issuer)) return false;
      const { tbs } = readCertificate(submitted);
      if (precertificate === undefined) return true;
      const spki = issuer.publicKey.export({ type: 'spki', format: 'der' });
      return (
        createHash('sha256').update(spki).digest().equals(precertificate.issuerKeyHash) &&
        Buffer.compare(tbsWithout(tbs, CT_POISON), precertificate.tbs) === 0
      );
    } catch {
      return false;
    }
  }

  /** The first certificate of a chain that hangs together and ends in its own root. */
  #issuerOf(chain: readonly Uint8Array[]): X509Certificate | undefined {
    const digest = createHash('sha256');
    for (const der of chain) digest.update(der);
    const id = `${chain.map(({ length }) => length)} ${digest.digest('hex')}`;
    if (!this.#chains.has(id)) this.#chains.set(id, wholeChain(chain));
    return this.#chains.get(id);
  }
}

function wholeChain(chain: readonly Uint8Array[]): X509Certificate | undefined {
  const certificates = chain.map((der) => new X509Certificate(readCertificate(der).der));
  const isWhole = certificates.every((certificate, i) => isIssuedBy(certificate, certificates[i + 1] ?? certificate));
  return isWhole ? certificates[0] : undefined;
}
