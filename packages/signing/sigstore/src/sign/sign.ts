import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { canonicalJson, type JsonValue } from '@colophon/json';
import type { Digest } from '@colophon/notation';
import {
  type CertificateIdentity,
  IN_TOTO_PAYLOAD_TYPE,
  keyThumbprint,
  runSignerOf,
  type Statement,
} from '@colophon/records';
import { dsse } from '@sigstore/core';
import type { BundleSigner } from '../bundle/bundle-signer.ts';
import { challengeClaim } from '../fulcio/challenge-claim.ts';
import { requestCertificate } from '../fulcio/request-certificate.ts';
import { type EntryProposal, writeEntry } from '../rekor/write-entry.ts';
import type { ServiceOptions } from '../service/ask-service.ts';
import type { SignedTextKind } from '../signed-text/signed-text.ts';
import { requestTimestamp } from '../timestamp/request-timestamp.ts';
import type { TrustMaterial } from '../trusted-root/trust-material.ts';
import type { Artifact } from '../verify/artifact.ts';
import { assertPurpose as assertSignedPurpose } from '../verify/signed-purpose.ts';
import {
  assertBundleIsOurs,
  assertCertificateIsOurs,
  assertRootCertifies,
  assertSctAsDemanded,
} from './assert-ours.ts';
import { type ArtifactToSign, type SignedDigest, signArtifact } from './content-signer.ts';
import { withFreshToken } from './fresh-token.ts';
import { type IdentityToken, readIdentityToken } from './identity-token.ts';
import { assertRunAgrees } from './run-agreement.ts';
import { envelopeContent, messageContent, writeBundle } from './signed-bundle.ts';
import { SigningError } from './signing-error.ts';

/** Where a signature is logged and timed. */
export type LoggingOptions = ServiceOptions & {
  readonly rekorUrl: string;
  /** 1 where absent. A log of version 2 tells no time: it needs `tsaUrl`. */
  readonly rekorMajorVersion?: 1 | 2 | undefined;
  readonly tsaUrl?: string | undefined;
  /** Where given, the finished bundle is verified in full against it before it is handed out. */
  readonly trust?: TrustMaterial | undefined;
  /** Told who signs once that is certain, and before anything is logged. What it throws ends the signing. */
  readonly checkSigner?: ((signer: BundleSigner) => void) | undefined;
  /** Called once the finished bundle verifies, before it is handed out. What it throws ends the signing. */
  readonly checkLogged?: (() => Promise<void>) | undefined;
};

export type KeylessOptions = LoggingOptions & {
  readonly fulcioUrl: string;
  /**
   * Called for each artifact, just before the token is exchanged (contract §8), with the RFC 7638 thumbprint of the key
   * that will sign it: a token that is bound to this key is of no use to anybody else. Called once more where the authority
   * refuses a token that an earlier attempt, whose answer was lost, may have spent.
   */
  readonly identityToken: (keyThumbprint: string) => Promise<string>;
};

export type SignBlobOptions = KeylessOptions & { readonly artifact: ArtifactToSign };
export type SignStatementOptions = KeylessOptions & { readonly statement: Statement };

/** A finished signature: the bundle's JSON, and who signed. */
export type SignedBundle = { readonly bundle: Uint8Array; readonly identity: CertificateIdentity };

/** One certificate and its key, good for the signatures of one artifact (contract §8). */
export type KeylessSigner = {
  readonly identity: CertificateIdentity;
  /** @throws SigningError */
  signBlob(artifact: ArtifactToSign): Promise<SignedBundle>;
  /** The payload of an older image signature, which signBlob refuses. @throws SigningError */
  signPayload(payload: Uint8Array): Promise<SignedBundle>;
  /** As a DSSE envelope; its payload is the canonical JSON of the statement. @throws SigningError */
  signStatement(statement: Statement): Promise<SignedBundle>;
};

/**
 * Exchanges one identity token for a certificate over a key that exists in this object alone. An image is signed twice
 * with it, once for each format. An agent run that is about to be signed is compared with the token before the
 * certificate is asked for, and every one against the certificate before it is signed.
 * @throws SigningError, see SigningError.codes
 * @throws TypeError for a log of version 2 without timestamp authority
 */
export async function createKeylessSigner(options: KeylessOptions, first?: Statement): Promise<KeylessSigner> {
  const held = await withFreshToken(options, (fresh) => holdCertificate(fresh, first));
  const signBytes = async (artifact: ArtifactToSign, kind: SignedTextKind) => {
    assertPurpose(held.identity, kind);
    const made = await signArtifact(artifact, held.keys.privateKey, kind);
    return finish(messagePart(made), held, made.artifact, options);
  };
  return {
    identity: held.identity,
    signBlob: (artifact) => signBytes(artifact, 'file'),
    signPayload: (payload) => signBytes(payload, 'image'),
    async signStatement(statement) {
      assertPurpose(held.identity, statement);
      assertRunAgrees(statement, held.identity, 'certificate');
      return finish(signEnvelope(statement, held.keys.privateKey), held, undefined, options);
    },
  };
}

/**
 * Signs an artifact with a certificate that the identity token buys, by a key that exists for this one signature.
 * @throws SigningError, see SigningError.codes; nothing is left behind then
 * @throws TypeError for a log of version 2 without timestamp authority
 * @see contract §1, §4.5
 */
export async function signBlob(options: SignBlobOptions): Promise<SignedBundle> {
  return (await createKeylessSigner(options)).signBlob(options.artifact);
}

/** Signs a statement. @throws as signBlob */
export async function signStatement(options: SignStatementOptions): Promise<SignedBundle> {
  return (await createKeylessSigner(options, options.statement)).signStatement(options.statement);
}

/** Content that has its signature. */
export type SignedPart = {
  readonly signature: Buffer;
  readonly signedDigest: Buffer;
  readonly digestAlgorithm: Digest['algorithm'];
  readonly content: ReturnType<typeof messageContent> | ReturnType<typeof envelopeContent>;
};

/** The signature over an artifact as content. */
export function messagePart({ signature, digest, digestAlgorithm }: SignedDigest): SignedPart {
  const content = messageContent(signature, digest, digestAlgorithm);
  return { signature, signedDigest: digest, digestAlgorithm, content };
}

/** Puts a statement into an envelope and signs it, by SHA-256 as Rekor v1 verifies envelopes of whatever key. */
export function signEnvelope(statement: Statement, privateKey: KeyObject): SignedPart {
  const payload = Buffer.from(canonicalJson(statement as unknown as JsonValue));
  const signed = dsse.preAuthEncoding(IN_TOTO_PAYLOAD_TYPE, payload);
  const algorithm = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const signature = sign(algorithm, signed, privateKey);
  const signedDigest = createHash('sha256').update(signed).digest();
  return { signature, signedDigest, digestAlgorithm: 'sha256', content: envelopeContent(payload, signature) };
}

type HeldCertificate = {
  readonly keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly certificate: Buffer;
  readonly identity: CertificateIdentity;
};

async function holdCertificate(options: KeylessOptions, first: Statement | undefined): Promise<HeldCertificate> {
  if (options.rekorMajorVersion === 2 && options.tsaUrl === undefined) {
    throw new TypeError('a log of version 2 tells no time: a timestamp authority is needed');
  }
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const thumbprint = keyThumbprint({ ...keys.publicKey.export({ format: 'jwk' }) });
  const token = await obtainToken(() => options.identityToken(thumbprint));
  assertOurKey(token, thumbprint);
  if (first !== undefined) assertRunAgrees(first, runSignerOf(token.payload, token.subject), 'identity token');
  const { fulcioUrl } = options;
  const claim = await challengeClaim(fulcioUrl, token, options);
  const address = claim === 'email' ? (token.payload['email'] as string) : undefined;
  const challenge = address ?? token.subject;
  const certificate = await requestCertificate(fulcioUrl, { token, challenge }, keys, options);
  const expected = { publicKey: keys.publicKey, token, address };
  const identity = assertCertificateIsOurs(certificate, expected, fulcioUrl, options.trust?.namespace.claimArc);
  assertSctAsDemanded(certificate, options.trust);
  assertRootCertifies(certificate, identity.issuer, options.trust);
  options.checkSigner?.({ subject: identity.subject, issuer: identity.issuer });
  return { keys, certificate, identity };
}

/** An authority that looks away would certify a key that no verifier takes, so it is not asked. */
function assertOurKey({ payload }: IdentityToken, thumbprint: string): void {
  const { key_thumbprint: bound } = payload;
  if (bound === undefined || bound === thumbprint) return;
  throw new SigningError('signing.key_mismatch', 'the identity token is bound to another key, and this one is new');
}

/**
 * Whether the readers of documents will take it: whether it is one, they know.
 * @throws SigningError `signing.purpose_mismatch`
 */
function assertPurpose(identity: CertificateIdentity, signed: Statement | SignedTextKind): void {
  try {
    assertSignedPurpose(identity, signed, 'document');
  } catch (cause) {
    throw new SigningError('signing.purpose_mismatch', (cause as Error).message, { cause });
  }
}

async function obtainToken(identityToken: () => Promise<string>): Promise<IdentityToken> {
  let raw: string;
  try {
    raw = await identityToken();
  } catch (cause) {
    if (cause instanceof SigningError) throw cause;
    throw new SigningError('signing.token_unavailable', 'no identity token could be obtained', { cause });
  }
  return readIdentityToken(raw.trim());
}

async function finish(
  signed: SignedPart,
  { certificate, identity }: HeldCertificate,
  artifact: Artifact | undefined,
  options: LoggingOptions,
): Promise<SignedBundle> {
  const verifier = { kind: 'x509Certificate', der: certificate, keyDetails: 'PKIX_ECDSA_P256_SHA_256' } as const;
  const bundle = await logAndBundle(signed, verifier, { certificate }, options);
  assertBundleIsOurs(bundle, artifact, { certificate }, options);
  await options.checkLogged?.();
  return { bundle, identity };
}

/** Has the signature timed and logged, and writes the bundle. */
export async function logAndBundle(
  { signature, signedDigest, digestAlgorithm, content }: SignedPart,
  verifier: EntryProposal['verifier'],
  signer: { readonly certificate: Buffer } | { readonly keyHint: string },
  options: LoggingOptions,
): Promise<Buffer> {
  const { tsaUrl, rekorUrl, rekorMajorVersion = 1 } = options;
  const timestamp = tsaUrl === undefined ? undefined : await requestTimestamp(tsaUrl, signature, options);
  const envelope =
    'dsseEnvelope' in content ? { envelope: content.dsseEnvelope as EntryProposal['envelope'] & object } : {};
  const proposal = { signature, signedDigest, digestAlgorithm, verifier, ...envelope };
  const logEntry = await writeEntry(rekorUrl, rekorMajorVersion, proposal, options);
  return writeBundle({ signer, content, logEntry, timestamp });
}
