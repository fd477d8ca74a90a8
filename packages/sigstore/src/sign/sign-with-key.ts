import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Statement } from '@colophon/records';
import { keyDetails } from '../trusted-root/create-trusted-root.ts';
import { assertBundleIsOurs } from './assert-ours.ts';
import { type ArtifactToSign, signArtifact } from './content-signer.ts';
import { isCosignKey, openCosignKey } from './cosign-key.ts';
import { type LoggingOptions, logAndBundle, type SignedPart, signEnvelope } from './sign.ts';
import { messageContent } from './signed-bundle.ts';
import { SigningError } from './signing-error.ts';

export type KeyedOptions = LoggingOptions & {
  /** PKCS #8 in PEM, or a key of `cosign generate-key-pair`: P-256, RSA of 2048 bits and more, or Ed25519 (statements only). */
  readonly privateKey: string;
  /** Of an encrypted key. */
  readonly passphrase?: string | undefined;
};

/**
 * Signs an artifact with a key of one's own (contract §5.5). The bundle has the signature, a hint at the public key,
 * and the log's entry.
 * @throws SigningError as signBlob, and `signing.key_invalid`
 */
export async function signBlobWithKey(
  options: KeyedOptions & { readonly artifact: ArtifactToSign },
): Promise<{ readonly bundle: Uint8Array }> {
  const key = readPrivateKey(options);
  if (key.asymmetricKeyType === 'ed25519') {
    throw keyInvalid('Ed25519 signs statements only: the log wants to verify by the digest of an artifact');
  }
  const { signature, digest } = await signArtifact(options.artifact, key);
  const signed = { signature, signedDigest: digest, content: messageContent(signature, digest) };
  return finish(signed, key, { sha256: digest.toString('hex') }, options);
}

/** Signs a statement with a key of one's own. @throws as signBlobWithKey */
export function signStatementWithKey(
  options: KeyedOptions & { readonly statement: Statement },
): Promise<{ readonly bundle: Uint8Array }> {
  const key = readPrivateKey(options);
  return finish(signEnvelope(options.statement, key), key, undefined, options);
}

async function finish(
  signed: SignedPart,
  privateKey: KeyObject,
  artifact: { sha256: string } | undefined,
  options: LoggingOptions,
): Promise<{ readonly bundle: Uint8Array }> {
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  // As cosign names a key.
  const keyHint = createHash('sha256').update(der).digest('base64');
  options.checkSigner?.({ keyHint });
  const verifier = { kind: 'publicKey', der, keyDetails: keyDetails(publicKey) } as const;
  const bundle = await logAndBundle(signed, verifier, { keyHint }, options);
  assertBundleIsOurs(bundle, artifact, { publicKey }, options);
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
  if (!isAllowed) throw keyInvalid('it must be on P-256, RSA of 2048 bits or more, or Ed25519');
  return key;
}

function openPkcs8(pem: string, passphrase: string | undefined): KeyObject | undefined {
  try {
    return createPrivateKey({ key: pem, format: 'pem', ...(passphrase !== undefined && { passphrase }) });
  } catch {
    // The library's reason may quote what it was given.
    return undefined;
  }
}

function keyInvalid(reason: string): SigningError {
  return new SigningError('signing.key_invalid', `the private key cannot be used: ${reason}`);
}
