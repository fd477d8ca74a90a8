import { createHash, createPublicKey } from 'node:crypto';
import { decodeBase64, type PemBlock, parsePem } from '@colophon/encoding';
import type { JsonValue } from '@colophon/json';
import { logEntrySigners } from '@colophon/records';
import type { TransparencyLogEntry } from '@sigstore/protobuf-specs';
import { type SignedEntity, Verifier } from '@sigstore/verify';
import { assertForSigning, type Certificate, parseCertificate } from '../certificate/certificate.ts';
import { identityOf } from '../certificate/certificate-identity.ts';
import { libraryCertificate, libraryCertificateWithoutScts } from '../certificate/library-certificate.ts';
import type { PinnedRoot, TrustMaterial } from '../trusted-root/trust-material.ts';
import type { LogSigner } from './log-result.ts';

/** A certificate in an entry, and whether it is one of a pinned authority's, as {@link signersOf} says. */
export type LoggedCertificate = { readonly der: Uint8Array; readonly trusted: boolean };

/**
 * Every certificate that an entry names as its signer's, whatever it says and whether it can be read. `trusted` is one of an
 * authority of any root: what an authority certified in secret is looked for in every log.
 */
export function certificatesOf(
  entry: TransparencyLogEntry,
  body: JsonValue,
  { roots }: TrustMaterial,
): readonly LoggedCertificate[] {
  return signerBlocks(body).flatMap(({ label, der }) => {
    if (label === 'PUBLIC KEY') return [];
    const certificate = orUndefined(() => parseCertificate(der));
    return [{ der, trusted: certificate !== undefined && isCertified(certificate, entry, roots) }];
  });
}

/**
 * Whom an entry names as its signers: the identity in a certificate, or the digest of a key. A log takes certificates of
 * anybody, so `trusted` says whether a pinned authority and a pinned CT log vouch for this one, at the time of the log.
 * That the signature is by the signer's key, the log has checked: the entry alone does not show it. So the log is one of the
 * same root, and in force at that time, as where a bundle is verified.
 */
export function signersOf(entry: TransparencyLogEntry, body: JsonValue, trust: TrustMaterial): readonly LogSigner[] {
  return signerBlocks(body).flatMap((block) => {
    const signer = signerOf(block, entry, trust);
    return signer === undefined ? [] : [signer];
  });
}

function signerBlocks(body: JsonValue): readonly PemBlock[] {
  return logEntrySigners(body).flatMap((pem) => {
    const [block] = parsePem(Buffer.from(decodeBase64(pem) ?? []).toString('latin1'), 'lax') ?? [];
    return block === undefined ? [] : [block];
  });
}

function signerOf({ label, der }: PemBlock, entry: TransparencyLogEntry, trust: TrustMaterial): LogSigner | undefined {
  if (label === 'PUBLIC KEY') return keySigner(der);
  const certificate = orUndefined(() => parseCertificate(der));
  if (certificate === undefined) return undefined;
  const identity = orUndefined(() => identityOf(certificate, trust.namespace.claimArc));
  // A certificate that names nobody, or two, is no more than its key.
  if (identity === undefined) return keySigner(certificate.spki);
  const { subject, issuer } = identity;
  const roots = trust.roots.filter((root) => vouchesFor(root, entry));
  return { subject, issuer, trusted: isCertified(certificate, entry, roots) };
}

function keySigner(der: Uint8Array): LogSigner | undefined {
  const spki = orUndefined(() =>
    createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' }).export({ type: 'spki', format: 'der' }),
  );
  if (spki === undefined) return undefined;
  return { key_digest: `sha256:${createHash('sha256').update(spki).digest('hex')}`, trusted: false };
}

function vouchesFor({ logs }: PinnedRoot, entry: TransparencyLogEntry): boolean {
  const id = entry.logId?.keyId ?? Buffer.alloc(0);
  const time = timeOf(entry);
  return logs.some(
    ({ logId, validFrom, validUntil }) => Buffer.compare(logId, id) === 0 && validFrom <= time && time <= validUntil,
  );
}

function timeOf({ integratedTime }: TransparencyLogEntry): Date {
  return new Date(Number(integratedTime) * 1000);
}

/**
 * Whether chain, certificate timestamp and validity at the log's time hold under one of the roots, as they must where a
 * bundle is verified.
 */
function isCertified(certificate: Certificate, entry: TransparencyLogEntry, roots: readonly PinnedRoot[]): boolean {
  const time = timeOf(entry);
  const isValid = certificate.notBefore <= time && time <= certificate.notAfter;
  const entityUnder = ({ demandsSct }: PinnedRoot): SignedEntity => ({
    // The content is not in the entry.
    signature: {
      signature: Buffer.alloc(0),
      compareSignature: () => true,
      compareDigest: () => true,
      compareSignedDigest: () => true,
      verifySignature: () => true,
    },
    key: {
      $case: 'certificate',
      certificate: (demandsSct ? libraryCertificate : libraryCertificateWithoutScts)(certificate.der),
    },
    tlogEntries: [],
    timestamps: [{ $case: 'transparency-log', tlogEntry: entry as never }],
  });
  const holdsUnder = (root: PinnedRoot) =>
    orUndefined(() => {
      // The entry itself is proven before; here it gives the time.
      const thresholds = { tlogThreshold: 0, ctlogThreshold: root.demandsSct ? 1 : 0, timestampThreshold: 1 };
      return new Verifier(root.library, thresholds).verify(entityUnder(root));
    }) !== undefined;
  return isValid && isForSigning(certificate) && roots.some(holdsUnder);
}

function isForSigning(certificate: Certificate): boolean {
  return orUndefined(() => [assertForSigning(certificate)]) !== undefined;
}

/** What is not as it must be is a signer that is not trusted, or none: an entry is shown with whatever it says. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
