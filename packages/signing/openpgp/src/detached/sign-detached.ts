import { openSigningKey } from '../key/signing-key.ts';

/** With what to sign. */
export type SignDetachedOptions = {
  /** Armored or binary, with exactly one private key. */
  readonly privateKey: string | Uint8Array;
  readonly passphrase?: string | undefined;
  /** The time that the signature will carry. */
  readonly at: Date;
};

/**
 * Signs the very bytes of a document and returns the armored signature that `gpg --verify FILE.asc FILE` accepts
 * (contract §2.6).
 * @throws OpenPgpError `openpgp.key_*`, `openpgp.algorithm_unsupported`, `openpgp.passphrase_*`
 */
export async function signDetached(
  document: Uint8Array,
  { privateKey, passphrase, at }: SignDetachedOptions,
): Promise<string> {
  const { createMessage, sign } = await import('openpgp');
  const signingKeys = await openSigningKey(privateKey, passphrase, at);
  const message = await createMessage({ binary: document });
  const armored = await sign({ message, signingKeys, date: at, detached: true, format: 'armored' });
  // Only the armor's own line ends are CRLF; people's tools expect the system's.
  return armored.replaceAll('\r\n', '\n');
}
