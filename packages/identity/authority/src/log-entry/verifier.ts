import { type KeyObject, X509Certificate } from 'node:crypto';
import { formatPem, type PemBlock, parsePem } from '@colophon/encoding';
import { isCertifiableKey } from '@colophon/sigstore';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { publicKeyOf, readCertificate, subjectAlternativeNames } from '../certificate/certificate.ts';
import { importSpki } from '../proof-of-possession/public-key.ts';

/** What a signature is verified with: a public key, or a certificate with the chain that somebody sent along. */
export type Verifier = {
  readonly key: KeyObject;
  /** The canonical PEM form, which is what the log records. */
  readonly pem: Uint8Array;
  /** Names of the certificate, which anybody may have made; none for a bare key. */
  readonly subjects: readonly string[];
  /** The signer's certificate and what was sent along with it, each issued by the next; empty for a bare key. */
  readonly chain: readonly X509Certificate[];
};

/** Certificates of one chain. */
const MAX_CERTIFICATES = 10;
const MOST_RSA_BITS = 8192;

/** Whether the log verifies anything with a key that somebody brings: others cost it too much, or prove too little. */
export function isAcceptedKey(key: KeyObject): boolean {
  return isCertifiableKey(key, MOST_RSA_BITS);
}

/**
 * Reads the PEM of a public key, of a certificate, or of a chain of certificates with the signer's first, each issued by
 * the next one.
 * @throws AuthorityError `authority.entry_invalid`
 */
export function parseVerifier(content: Uint8Array): Verifier {
  const verifier = readVerifier(content);
  const { chain } = verifier;
  if (chain.slice(1).every((issuer, i) => isIssuedBy(chain[i]!, issuer))) return verifier;
  throw invalid('a certificate of the chain is not issued by the next one');
}

/**
 * The same of what the log has recorded: when it was proposed, its chain held.
 * @throws AuthorityError `authority.entry_invalid`
 */
export function readVerifier(content: Uint8Array): Verifier {
  const blocks = parsePem(Buffer.from(content).toString('latin1'));
  if (blocks === undefined) throw invalid('the public key is not PEM');
  try {
    if (blocks.length === 1 && blocks[0]?.label === 'PUBLIC KEY') return ofPublicKey(blocks[0].der);
    return ofCertificates(blocks);
  } catch (cause) {
    if (cause instanceof AuthorityError && cause.code === 'authority.entry_invalid') throw cause;
    throw invalid('the public key or certificate cannot be read', cause);
  }
}

function ofPublicKey(der: Uint8Array): Verifier {
  const key = importSpki(der);
  return { key, pem: Buffer.from(key.export({ type: 'spki', format: 'pem' }) as string), subjects: [], chain: [] };
}

function ofCertificates(blocks: readonly PemBlock[]): Verifier {
  if (blocks.length > MAX_CERTIFICATES || blocks.some(({ label }) => label !== 'CERTIFICATE')) {
    throw invalid(`a public key, or 1 to ${MAX_CERTIFICATES} certificates`);
  }
  const parsed = blocks.map(({ der }) => new X509Certificate(der));
  const signer = readCertificate(blocks[0]!.der);
  return {
    key: publicKeyOf(signer),
    pem: Buffer.from(blocks.map(({ der }) => formatPem('CERTIFICATE', der)).join('')),
    subjects: subjectAlternativeNames(signer),
    chain: parsed,
  };
}

/** Whether it is an authority is left to those who know authorities. */
function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    const { publicKey } = issuer;
    return isAcceptedKey(publicKey) && certificate.checkIssued(issuer) && certificate.verify(publicKey);
  } catch {
    return false;
  }
}

function invalid(message: string, cause?: unknown): AuthorityError {
  return new AuthorityError('authority.entry_invalid', message, { cause });
}
