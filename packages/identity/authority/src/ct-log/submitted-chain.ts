import { X509Certificate } from 'node:crypto';
import { decodeBase64 } from '@colophon/encoding';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { CT_POISON } from '../ca/certificate-parts.ts';
import { type Certificate, readCertificate, tbsWithout } from '../certificate/certificate.ts';
import { isIssuedBy } from '../certificate/issued-by.ts';
import type { CertificateSubmission } from './certificate-log.ts';

/** Certificates of one submission. */
export const MAX_CHAIN_LENGTH = 10;

const DER_NULL = Uint8Array.of(0x05, 0x00);

/**
 * Reads and verifies what somebody submits to the certificate log (RFC 6962 §3.1, §4.1, §4.2): a certificate or
 * precertificate first, then its issuers, each signed by the next one, ending in or at an accepted root. Validity times
 * are not looked at: a log records what was issued.
 *
 * @param chain base64 DER, as in the request
 * @param roots DER
 * @throws AuthorityError `authority.chain_invalid`, `authority.chain_untrusted`, `authority.poison_missing`,
 *   `authority.poison_unexpected`
 */
export function readSubmittedChain(
  kind: CertificateSubmission['kind'],
  chain: unknown,
  roots: readonly Uint8Array[],
): CertificateSubmission {
  if (!Array.isArray(chain) || chain.length === 0 || chain.length > MAX_CHAIN_LENGTH) {
    throw invalid(`chain is a list of 1 to ${MAX_CHAIN_LENGTH} certificates`);
  }
  const certificates = chain.map(decodeCertificate);
  const anchored = anchor(certificates, roots);
  const [leaf, issuer] = anchored as [Certificate, Certificate | undefined];
  checkPoison(kind, leaf);
  const issuers = anchored.slice(1).map(({ der }) => der);
  if (kind === 'x509') return { kind, submitted: leaf.der, chain: issuers };
  if (issuer === undefined) throw invalid('a precertificate is not its own issuer');
  return { kind, issuerSpki: issuer.spki, tbs: tbsWithout(leaf.tbs, CT_POISON), submitted: leaf.der, chain: issuers };
}

function decodeCertificate(encoded: unknown): Certificate {
  const der = typeof encoded === 'string' ? decodeBase64(encoded) : undefined;
  if (der === undefined) throw invalid('every certificate is base64');
  try {
    return readCertificate(der);
  } catch (cause) {
    throw new AuthorityError('authority.chain_invalid', 'a certificate cannot be read', { cause });
  }
}

/**
 * Verifies every link, and adds the root where the submitter left it out. From the root down: a key verifies nothing
 * before an accepted root vouches for it, because anybody can make one that costs milliseconds each time.
 */
function anchor(certificates: readonly Certificate[], roots: readonly Uint8Array[]): Certificate[] {
  const parsed = certificates.map(({ der }) => parse(der));
  const last = parsed.at(-1)!;
  const isRoot = roots.some((root) => Buffer.compare(root, last.raw) === 0);
  const root = isRoot ? undefined : roots.find((candidate) => isIssuedBy(last, parse(candidate)));
  if (!isRoot && root === undefined)
    throw new AuthorityError('authority.chain_untrusted', 'the chain does not end in an accepted root');
  for (let i = parsed.length - 1; i > 0; i -= 1) {
    if (!isIssuedBy(parsed[i - 1]!, parsed[i]!)) throw invalid('a certificate is not issued by the next one');
  }
  return root === undefined ? [...certificates] : [...certificates, readCertificate(root)];
}

function parse(der: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch (cause) {
    throw new AuthorityError('authority.chain_invalid', 'a certificate cannot be read', { cause });
  }
}

function checkPoison(kind: CertificateSubmission['kind'], { extensions }: Certificate): void {
  const poison = extensions.filter(({ oid }) => oid === CT_POISON);
  if (kind === 'x509') {
    if (poison.length > 0)
      throw new AuthorityError('authority.poison_unexpected', 'this is a precertificate: use add-pre-chain');
    return;
  }
  const [only, ...more] = poison;
  if (only?.isCritical !== true || more.length > 0 || Buffer.compare(only.value, DER_NULL) !== 0) {
    throw new AuthorityError(
      'authority.poison_missing',
      'a precertificate has the critical poison extension, holding NULL',
    );
  }
}

function invalid(message: string): AuthorityError {
  return new AuthorityError('authority.chain_invalid', message);
}
