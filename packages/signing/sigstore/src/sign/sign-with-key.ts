import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Statement } from '@colophon/records';
import type { SignedTextKind } from '../signed-text/signed-text.ts';
import { keyDetails } from '../trusted-root/create-trusted-root.ts';
import type { HashedArtifact } from '../verify/artifact.ts';
import { assertBundleIsOurs } from './assert-ours.ts';
import { type ArtifactToSign, signArtifact } from './content-signer.ts';
import { isCosignKey, openCosignKey } from './cosign-key.ts';
import { keyHintOf } from './key-hint.ts';
import { type LoggingOptions, logAndBundle, messagePart, type SignedPart, signEnvelope } from './sign.ts';
import { SigningError } from './signing-error.ts';

export type KeyedOptions = LoggingOptions & {
  /** PKCS #8 in PEM, or a key of `cosign generate-key-pair`: P-256, RSA of 2048 bits and more, or Ed25519. */
  readonly privateKey: string;
  /** Of an encrypted key. */
  readonly passphrase?: string | undefined;
};

/** A finished signature by a key: the bundle's JSON, and the SHA-256 of an artifact, in hex. */
export type KeyedBundle = { readonly bundle: Uint8Array; readonly sha256?: string };

/** A key of one's own, opened. */
export type KeyedSigner = {
  /** @throws SigningError */
  signBlob(artifact: ArtifactToSign): Promise<KeyedBundle>;
  /** The payload of an older image signature, which signBlob refuses. Undefined for a key that makes none. */
  readonly signPayload: ((payload: Uint8Array) => Promise<KeyedBundle>) | undefined;
  /** As a DSSE envelope; its payload is the canonical JSON of the statement. @throws SigningError */
  signStatement(statement: Statement): Promise<KeyedBundle>;
};

/**
 * Opens a key of one's own (contract §5.5). The bundles that it makes have the signature, a hint at the public key, and
 * the log's entry.
 * @throws SigningError `signing.key_invalid`; what it signs with throws as signBlob
 */
export function createKeyedSigner(options: KeyedOptions): KeyedSigner {
  const key = readPrivateKey(options);
  const signBytes = async (artifact: ArtifactToSign, kind: SignedTextKind) => {
    const made = await signArtifact(artifact, key, kind);
    return { ...(await finish(messagePart(made), key, made.artifact, options)), sha256: made.artifact.sha256 };
  };
  return {
    signBlob: (artifact) => signBytes(artifact, 'file'),
    // Readers of the older format verify Ed25519 over the whole payload, and the log verifies Ed25519ph over its digest.
    signPayload: key.asymmetricKeyType === 'ed25519' ? undefined : (payload) => signBytes(payload, 'image'),
    async signStatement(statement) {
      if (key.asymmetricKeyType === 'ed25519' && options.rekorMajorVersion === 2) {
        throw keyInvalid('Rekor v2 logs no statements that Ed25519 signed');
      }
      return finish(signEnvelope(statement, key), key, undefined, options);
    },
  };
}

/** Signs an artifact with a key of one's own. @throws SigningError as createKeyedSigner and signBlob */
export async function signBlobWithKey(
  options: KeyedOptions & { readonly artifact: ArtifactToSign },
): Promise<KeyedBundle> {
  return createKeyedSigner(options).signBlob(options.artifact);
}

/** Signs a statement with a key of one's own. @throws as signBlobWithKey */
export async function signStatementWithKey(
  options: KeyedOptions & { readonly statement: Statement },
): Promise<KeyedBundle> {
  return createKeyedSigner(options).signStatement(options.statement);
}

const CURVES: Readonly<Record<string, string>> = { secp384r1: 'P-384', secp521r1: 'P-521' };

async function finish(
  signed: SignedPart,
  privateKey: KeyObject,
  artifact: HashedArtifact | undefined,
  options: LoggingOptions,
): Promise<{ readonly bundle: Uint8Array }> {
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const keyHint = keyHintOf(publicKey);
  options.checkSigner?.({ keyHint });
  const isPrehashed = signed.digestAlgorithm === 'sha512' && publicKey.asymmetricKeyType === 'ed25519';
  const details = isPrehashed ? 'PKIX_ED25519_PH' : keyDetails(publicKey);
  const verifier = { kind: 'publicKey', der, keyDetails: details } as const;
  const bundle = await logAndBundle(signed, verifier, { keyHint }, options);
  assertBundleIsOurs(bundle, artifact, { publicKey }, options);
  await options.checkLogged?.();
  return { bundle };
}

function readPrivateKey({ privateKey, passphrase }: KeyedOptions): KeyObject {
  if (privateKey.trimStart().startsWith('-----BEGIN PGP')) throw keyInvalid('it is an OpenPGP key');
  const key = isCosignKey(privateKey) ? openCosignKey(privateKey, passphrase ?? '') : openPkcs8(privateKey, passphrase);
  if (key === undefined)
    throw keyInvalid("it is neither PKCS #8 in PEM nor a key of cosign's, or the password is wrong");
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {};
  const isAllowed =
    key.asymmetricKeyType === 'ed25519' ||
    (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') ||
    (key.asymmetricKeyType === 'rsa' && (modulusLength ?? 0) >= 2048);
  if (isAllowed) return key;
  // cosign signs by SHA-384 with P-384, and by SHA-512 with P-521; neither Rekor v1 (envelopes) nor cosign itself
  // (`--key`) verifies by another digest than SHA-256.
  const expected = 'P-256, RSA of 2048 bits or more, or Ed25519';
  const curve = CURVES[namedCurve ?? ''] ?? namedCurve;
  const found = key.asymmetricKeyType === 'rsa' ? `RSA of ${modulusLength} bits` : (curve ?? key.asymmetricKeyType);
  throw keyInvalid(`it is ${found}; it must be ${expected}`, { expected, ...(found === undefined ? {} : { found }) });
}

function openPkcs8(pem: string, passphrase: string | undefined): KeyObject | undefined {
  try {
    return createPrivateKey({ key: pem, format: 'pem', ...(passphrase !== undefined && { passphrase }) });
  } catch {
    // The library's reason may quote what it was given.
    return undefined;
  }
}

function keyInvalid(reason: string, facts: { expected?: string; found?: string } = {}): SigningError {
  return new SigningError('signing.key_invalid', `the private key cannot be used: ${reason}`, facts);
}
