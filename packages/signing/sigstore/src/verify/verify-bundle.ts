import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  type BundleLogEntry,
  type CertificateIdentity,
  keyIdentity,
  keyThumbprint,
  type LogEntry,
  type Statement,
  type VerifiedSignature,
} from '@colophon/records';
import type { TransparencyLogEntry } from '@sigstore/bundle';
import type { X509Certificate } from '@sigstore/core';
import { type ParsedBundle, parseBundle } from '../bundle/parse-bundle.ts';
import { CERTIFIABLE_KEYS, isCertifiableKey } from '../certificate/certifiable-key.ts';
import { assertForSigning, type Certificate, parseCertificate, SCT_LIST } from '../certificate/certificate.ts';
import { identityOf } from '../certificate/certificate-identity.ts';
import { libraryCertificate } from '../certificate/library-certificate.ts';
import { decideIdentity, type IdentityPolicy } from '../identity-policy/identity-policy.ts';
import { keyNameOf } from '../sign/key-hint.ts';
import type { SignedTextKind } from '../signed-text/signed-text.ts';
import type { PinnedRoot, TrustMaterial } from '../trusted-root/trust-material.ts';
import { type Artifact, artifactDigest } from './artifact.ts';
import { type Check, CheckList } from './check.ts';
import { assertLibraryAgrees } from './library-verification.ts';
import { assertEnoughLogs, assertEntryMatches, assertLogged, entriesOfPinnedLogs } from './log-entry.ts';
import { isIssuedUnder, rootsInScope, rootsOfCertificate, rootsOfLogs, underOneOf } from './root-choice.ts';
import { type SignedContent, signedContentOf } from './signed-content.ts';
import { assertPurpose, type PurposeReader } from './signed-purpose.ts';
import { assertValidAt, logTimesOf, type SignedTime, timestampsOf } from './signed-time.ts';
import { assertPredicateType, assertSubject, readStatement } from './statement.ts';
import { readBy } from './unread-statement.ts';
import { VerificationError } from './verification-error.ts';

type CommonOptions = {
  /** The bundle's JSON. */
  readonly bundle: Uint8Array;
  /** What the signature must be about. May be left out for an attestation; then the caller checks its subject. */
  readonly artifact?: Artifact | undefined;
  /** What the artifact of a message signature must be; `file`. */
  readonly artifactKind?: SignedTextKind | undefined;
  readonly trust: TrustMaterial;
  /** The predicate type that the statement must have, or several of which one will do; a bundle that signs no statement fails then. */
  readonly predicateType?: string | readonly string[] | undefined;
  /** How many different logs must have the entry; 1. */
  readonly logThreshold?: number | undefined;
  /** Whether the log's signed promise alone, which version 0.1 knows, is too little; false. */
  readonly requiresProof?: boolean | undefined;
};

export type VerifyBundleOptions = CommonOptions & {
  /** Whose signature counts; `gated-elsewhere` where the caller decides on the identity in the answer (contract §5.2). */
  readonly policy: IdentityPolicy | 'gated-elsewhere';
  /** Who reads the signature, where more certificates count for them than for a reader of artifacts. */
  readonly purpose?: PurposeReader | undefined;
};

export type VerifyBundleWithKeyOptions = CommonOptions & {
  /** PEM of the public key. */
  readonly publicKey: string;
};

/** The same for a bundle that was parsed before, by one who reads many of somebody else's. */
type Parsed<Options> = Omit<Options, 'bundle'> & {
  readonly bundle: ParsedBundle;
  /** What the statement of an envelope must be about, by what it says; in place of `artifact`. */
  readonly artifactFor?: ((statement: Statement) => Artifact | undefined) | undefined;
};
export type VerifyParsedOptions = Parsed<VerifyBundleOptions>;
export type VerifyParsedWithKeyOptions = Parsed<VerifyBundleWithKeyOptions>;

export type BundleVerification = { readonly signature: VerifiedSignature; readonly checks: readonly Check[] };

/** What a keyed bundle shows: there is no certificate, so there is nobody's identity. */
export type KeyedVerification = {
  readonly artifact_digest?: string;
  readonly statement?: Statement;
  readonly log_entry: BundleLogEntry;
  readonly checks: readonly Check[];
};

/**
 * Verifies a keyless signature: form, artifact, signature, certificate, log, time, chain, purpose, identity. Opens no
 * connection and reads no clock; what the certificate must be valid at is the time that log or timestamp vouch for.
 * @returns the signature with the identity behind it, and everything that was checked, in order.
 * @throws VerificationError with a code for each failure, see `VerificationError.codes`
 * @see contract §4.5, §5.2
 */
export function verifyBundle(options: VerifyBundleOptions): BundleVerification {
  return verifyParsedBundle({ ...options, bundle: parseBundle(options.bundle) });
}

/** @throws as verifyBundle */
export function verifyParsedBundle(options: VerifyParsedOptions): BundleVerification {
  const { bundle } = options;
  const checks = new CheckList();
  checks.passed('bundle.form', `version ${bundle.version}`);
  if (!('certificate' in bundle.signer)) {
    throw new VerificationError('key.missing', 'the bundle is signed with a key, and none was given');
  }
  const der = bundle.signer.certificate;
  const certificate = parseCertificate(der);
  const named = identityOf(certificate, options.trust.namespace.claimArc);
  const key = publicKeyOf(certificate);
  const content = contentOf(bundle, options, checks);
  const issued = readPart('the certificate', () => libraryCertificate(der));
  // Whom no pinned authority certified is refused for that below, and until then costs nothing by a key of their choice.
  if (isIssuedUnder(options.trust, issued)) assertSignedBy(key, content, checks);
  const chosen = rootsOfCertificate(issued, options.trust);
  const { log_entry, root } = underOneOf(rootsInScope(named.issuer, chosen, options.trust), (root) => ({
    log_entry: verifyLogged(
      bundle,
      content,
      { certificate: issued, parsed: certificate },
      { ...options, root, checks },
    ),
    root,
  }));
  const certificate_identity = root.name === undefined ? named : { ...named, root: root.name };
  const certified_at = certificate.notBefore.toISOString();
  assertBoundKey(key, certificate_identity);
  const facts = readBy(certificate_identity, () => contentFacts(content, options, checks));
  const found = { certificate_identity, certified_at, log_entry: log_entry as LogEntry, ...facts };
  assertPurpose(certificate_identity, facts.statement ?? options.artifactKind, options.purpose);
  assertIdentity(options.policy, certificate_identity, checks);
  return { signature: found, checks: checks.all };
}

/**
 * Verifies a signature by a key that the caller trusts (contract §5.5); the bundle's log entry is verified too.
 * @throws VerificationError as verifyBundle, and `key.mismatch` for a bundle with a certificate
 * @throws TypeError for a key that cannot be read
 */
export function verifyBundleWithKey(options: VerifyBundleWithKeyOptions): KeyedVerification {
  return verifyParsedBundleWithKey({ ...options, bundle: parseBundle(options.bundle) });
}

/** @throws as verifyBundleWithKey */
export function verifyParsedBundleWithKey(options: VerifyParsedWithKeyOptions): KeyedVerification {
  const { bundle } = options;
  const key = createPublicKey(options.publicKey);
  const checks = new CheckList();
  checks.passed('bundle.form', `version ${bundle.version}`);
  if (!('keyHint' in bundle.signer)) {
    throw new VerificationError('key.mismatch', 'the bundle is signed with a certificate, not with a key');
  }
  const content = contentOf(bundle, options, checks);
  assertSignedBy(key, content, checks);
  const log_entry = underOneOf(rootsOfLogs(bundle, options.trust), (root) =>
    verifyLogged(bundle, content, { key }, { ...options, root, checks }),
  );
  const facts = readBy(keyIdentity(keyNameOf(options.publicKey)), () => contentFacts(content, options, checks));
  return { log_entry, ...facts, checks: checks.all };
}

/** What was signed, whoever did it. */
function contentOf(
  bundle: ParsedBundle,
  { artifact, artifactKind }: Parsed<CommonOptions>,
  checks: CheckList,
): SignedContent {
  const content = signedContentOf(bundle.content, artifact, artifactKind);
  if (content.envelope === undefined)
    checks.passed('artifact', `${content.digestAlgorithm}:${content.signedDigest.toString('hex')}`);
  return content;
}

function assertSignedBy(key: KeyObject, content: SignedContent, checks: CheckList): void {
  if (!content.isSignedBy(key)) {
    throw new VerificationError('signature.invalid', 'the signature is not by this key over this content');
  }
  checks.passed('signature', `${key.asymmetricKeyType}`);
}

/** Log, time and chain, all of them under one root; what held is noted once all of it did. */
function verifyLogged(
  bundle: ParsedBundle,
  content: SignedContent,
  signer: { certificate: X509Certificate; parsed: Certificate } | { key: KeyObject },
  {
    root,
    checks,
    logThreshold = 1,
    requiresProof,
  }: Pick<CommonOptions, 'logThreshold' | 'requiresProof'> & { root: PinnedRoot; checks: CheckList },
) {
  const byCertificate = 'certificate' in signer;
  // What no pinned authority or log made is no part of the evidence, and from here on nothing looks at it.
  const timestamps = timestampsOf(bundle, content.signature, root);
  const pinned = entriesOfPinnedLogs(bundle.logEntries, root, timestamps);
  const logEntries = pinned.map(({ entry }) => entry);
  assertEnoughLogs(logEntries, logThreshold);
  const verifier = byCertificate ? signer.parsed.der : signer.key.export({ type: 'spki', format: 'der' });
  for (const entry of logEntries) assertEntryMatches(entry, content, verifier);

  const times = [...logTimesOf(logEntries), ...timestamps];
  if (times.length === 0 && bundle.timestamps.length > 0) {
    throw new VerificationError('timestamp.invalid', 'no timestamp in the bundle is by a pinned authority in force');
  }
  if (byCertificate) assertCertificate(signer.parsed, bundle, root, times);
  const entries = pinned.map(({ entry, log }) => assertLogged(entry, log, bundle.version, requiresProof));
  assertLibraryAgrees(signer, content, entries as TransparencyLogEntry[], times, root);

  checks.passed('log_entry.content', 'same signature, content and signer');
  if (byCertificate) {
    const { notBefore, notAfter } = signer.parsed;
    checks.passed('certificate.validity', `${notBefore.toISOString()} to ${notAfter.toISOString()}`);
    const timestamp = root.demandsSct ? 'with its certificate timestamp' : 'without a certificate timestamp';
    const authority = root.name === undefined ? 'a pinned authority' : `an authority of ${root.name}`;
    checks.passed('certificate.chain', `to ${authority}, ${timestamp}`);
  }
  for (const entry of entries) {
    const by = entry.inclusionProof === undefined ? 'by promise' : `by proof, tree of ${entry.inclusionProof.treeSize}`;
    checks.passed('log_entry.inclusion', `index ${entry.logIndex}, ${by}`);
  }
  for (const { by, time } of times) checks.passed('timestamp', `${time.toISOString()} by ${by}`);
  return referenceTo(entries[0] as TransparencyLogEntry, times);
}

function assertCertificate(
  certificate: Certificate,
  bundle: ParsedBundle,
  { authorityCertificates, demandsSct, library }: PinnedRoot,
  times: readonly SignedTime[],
): void {
  assertForSigning(certificate);
  // What stands behind the signer must be what we would have used ourselves: pinned, and no root (it is never sent).
  for (const der of bundle.furtherCertificates) {
    const isPinned = authorityCertificates.some((pinned) => Buffer.compare(pinned, der) === 0);
    if (isPinned && !parseCertificate(der).isSelfIssued) continue;
    throw new VerificationError('bundle.certificate_chain', 'the bundle brings certificates of its own');
  }
  assertValidAt(certificate, times);
  if (!demandsSct) return;
  const expected = 'a trusted root with its CT log, or --insecure-ignore-sct';
  if (!certificate.extensions.has(SCT_LIST)) {
    const details = library.ctlogs.length === 0 ? { expected } : {};
    throw new VerificationError('sct.missing', 'the certificate has no certificate timestamp', details);
  }
  if (library.ctlogs.length > 0) return;
  const message = 'the trusted root names no CT log that could have made the certificate timestamp';
  throw new VerificationError('sct.invalid', message, { expected });
}

/** Anybody can make a certificate, and nothing has said yet that it is of a known authority. */
function publicKeyOf(certificate: Certificate): KeyObject {
  const spki = { key: Buffer.from(certificate.spki), format: 'der', type: 'spki' } as const;
  const key = readPart('the key in the certificate', () => createPublicKey(spki));
  if (isCertifiableKey(key)) return key;
  throw new VerificationError('certificate.malformed', 'no authority certifies keys like the one in the certificate', {
    expected: CERTIFIABLE_KEYS,
    found: `${key.asymmetricKeyType}`,
  });
}

function readPart<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new VerificationError('certificate.malformed', `${part} cannot be read`, { cause });
  }
}

/** Fulcio certifies whatever key it is asked for, so whom the token was bound to is looked at here. */
function assertBoundKey(key: KeyObject, { key_thumbprint: bound }: CertificateIdentity): void {
  if (bound === undefined) return;
  const found = keyThumbprint({ ...key.export({ format: 'jwk' }) });
  if (found === bound) return;
  const message = 'the certificate is for another key than its token';
  throw new VerificationError('certificate.key_mismatch', message, { expected: bound, found });
}

function contentFacts(
  content: SignedContent,
  options: Parsed<CommonOptions>,
  checks: CheckList,
): { readonly artifact_digest?: string; readonly statement?: Statement } {
  const predicateTypes = options.predicateType === undefined ? undefined : [options.predicateType].flat();
  if (content.envelope === undefined) {
    if (predicateTypes !== undefined) {
      throw new VerificationError(
        'statement.predicate_type_mismatch',
        'the bundle signs an artifact, not a statement',
        {
          expected: predicateTypes.join(' or '),
        },
      );
    }
    return { artifact_digest: `sha256:${Buffer.from(artifactDigest(options.artifact as Artifact)).toString('hex')}` };
  }
  const { payloadType, payload } = content.envelope;
  const statement = readStatement(payloadType, payload);
  if (predicateTypes !== undefined) assertPredicateType(statement, predicateTypes);
  checks.passed('statement.predicate_type', statement.predicateType);
  const artifact = options.artifactFor === undefined ? options.artifact : options.artifactFor(statement);
  if (artifact === undefined) return { statement };
  const artifactSha256 = Buffer.from(artifactDigest(artifact)).toString('hex');
  assertSubject(statement, artifactSha256);
  checks.passed('statement.subject', `sha256:${artifactSha256}`);
  return { statement, artifact_digest: `sha256:${artifactSha256}` };
}

function assertIdentity(policy: VerifyBundleOptions['policy'], identity: CertificateIdentity, checks: CheckList): void {
  if (policy === 'gated-elsewhere') {
    checks.passed('identity', `${identity.subject} of ${identity.issuer}: not decided here`);
    return;
  }
  const mismatches = decideIdentity(policy, identity);
  const [first] = mismatches;
  if (first === undefined) {
    checks.passed('identity', `${identity.subject} of ${identity.issuer}`);
    return;
  }
  const reasons = mismatches.map(({ code, expected, found }) => {
    const what = code.slice('identity.'.length, -'_mismatch'.length);
    return `the ${what} in the certificate is ${JSON.stringify(found)}, and ${expected} is demanded`;
  });
  throw new VerificationError(first.code, reasons.join('; '), {
    expected: first.expected,
    found: first.found,
    mismatches,
  });
}

function referenceTo(entry: TransparencyLogEntry, times: readonly SignedTime[]) {
  // A log's times stand before those of timestamp authorities.
  const time = times[0]?.time;
  return {
    log_index: Number(entry.logIndex),
    log_id: entry.logId.keyId.toString('hex'),
    ...(time && { integrated_at: time.toISOString() }),
  };
}
