import { createHash, createPublicKey } from 'node:crypto';
import { decodeBase64, type PemBlock, parsePem } from '@colophon/encoding';
import type { JsonValue } from '@colophon/json';
import { logEntrySigners } from '@colophon/records';
import type { TransparencyLogEntry } from '@sigstore/protobuf-specs';
import { type SignedEntity, Verifier } from '@sigstore/verify';
import { assertForSigning, type Certificate, parseCertificate } from '../certificate/certificate.ts';
import { identityOf } from '../certificate/certificate-identity.ts';
import { libraryCertificate, withoutScts } from '../certificate/library-certificate.ts';
import { rootsOfIssuer } from '../trusted-root/issuer-scope.ts';
import type { PinnedRoot, TrustMaterial } from '../trusted-root/trust-material.ts';
import { isIssuedUnder } from '../verify/root-choice.ts';
import type { LogSigner } from './log-result.ts';

/**
 * A certificate in an entry, and whether a pinned authority issued it. When it was logged says nothing about that: an
 * entry can be made after its time, and a timestamp show that it was used before.
 */
export type LoggedCertificate = { readonly der: Uint8Array; readonly issued: boolean };

/**
 * Every certificate that an entry names as its signer's, whatever it says and whether it can be read. An authority of any
 * root counts: what it certified in secret is looked for in every log. Who asks about one issuer gives the roots of that.
 */
export function certificatesOf(body: JsonValue, { roots }: TrustMaterial): readonly LoggedCertificate[] {
  return signerBlocks(body).flatMap(({ label, der }) => {
    if (label === 'PUBLIC KEY') return [];
    const certificate = orUndefined(() => parseCertificate(der));
    if (certificate === undefined) return [{ der, issued: false }];
    const { notBefore } = certificate;
    return [{ der, issued: roots.some((root) => holdsUnder({ ...root, demandsSct: false }, certificate, notBefore)) }];
  });
}

/**
 * Whom an entry names as its signers: the identity in a certificate, or the digest of a key. A log takes certificates of
 * anybody, so `trusted` says whether a pinned authority and a pinned CT log vouch for this one, at the time of the log.
 * That the signature is by the signer's key, the log has checked: the entry alone does not show it. So the log is one of the
 * same root, which is for the certificate's issuer, and in force at that time, as where a bundle is verified.
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
  const roots = rootsOfIssuer(issuer, trust.roots).filter((root) => vouchesFor(root, entry));
  const root = rootOf(certificate, entry, roots);
  return { subject, issuer, trusted: root !== undefined, ...(root?.name === undefined ? {} : { root: root.name }) };
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
 * The root under which chain, certificate timestamp and validity at the log's time hold, as they must where a bundle is
 * verified.
 */
function rootOf(
  certificate: Certificate,
  entry: TransparencyLogEntry,
  roots: readonly PinnedRoot[],
): PinnedRoot | undefined {
  const time = timeOf(entry);
  const isValid = certificate.notBefore <= time && time <= certificate.notAfter;
  if (!isValid || !isForSigning(certificate)) return undefined;
  return roots.find((root) => holdsUnder(root, certificate, time));
}

/** What the library takes a time from. Of an entry the promise is proven before. */
function promisedAt(time: Date) {
  const empty = Buffer.alloc(0);
  const promise = { inclusionPromise: { signedEntryTimestamp: empty }, logId: { keyId: empty } };
  return { ...promise, integratedTime: String(Math.floor(time.getTime() / 1000)) };
}

/** Whether a root vouches for a certificate at a time. */
function holdsUnder(root: PinnedRoot, { der }: Certificate, time: Date): boolean {
  const certificate = orUndefined(() => libraryCertificate(der));
  // The library would try a certificate that names itself as its issuer by a key that anybody chose.
  if (certificate === undefined || !isIssuedUnder({ roots: [root] }, certificate)) return false;
  const { library, demandsSct } = root;
  const entity: SignedEntity = {
    // The content is not in the entry.
    signature: {
      signature: Buffer.alloc(0),
      compareSignature: () => true,
      compareDigest: () => true,
      compareSignedDigest: () => true,
      verifySignature: () => true,
    },
    key: { $case: 'certificate', certificate: demandsSct ? certificate : withoutScts(certificate) },
    tlogEntries: [],
    timestamps: [{ $case: 'transparency-log', tlogEntry: promisedAt(time) as never }],
  };
  const thresholds = { tlogThreshold: 0, ctlogThreshold: demandsSct ? 1 : 0, timestampThreshold: 1 };
  return orUndefined(() => new Verifier(library, thresholds).verify(entity)) !== undefined;
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
