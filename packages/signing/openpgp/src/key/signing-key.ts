import type { PrivateKey, SecretKeyPacket } from 'openpgp';
import { OpenPgpError } from '../openpgp-error/openpgp-error.ts';
import { armoredText, fingerprintOf, unsupportedKey, whyUnusable } from './public-keys.ts';

/**
 * A private key that is open and may sign.
 * @param at the time of the signature
 * @throws OpenPgpError `openpgp.key_*`, `openpgp.algorithm_unsupported`, `openpgp.passphrase_*`
 */
export async function openSigningKey(
  file: string | Uint8Array,
  passphrase: string | undefined,
  at: Date,
): Promise<PrivateKey> {
  const key = await readOneKey(file);
  // The main key may be kept elsewhere (`gpg --export-secret-subkeys`): what signs has to be here.
  const signing = await key.getSigningKey(undefined, at).catch(async (cause) => {
    throw await whyUnusable(key, at, cause);
  });
  if ((signing.keyPacket as SecretKeyPacket).isMissingSecretKeyMaterial()) {
    throw new OpenPgpError('openpgp.key_not_private', 'the secret part of the signing key is not in the file', {
      found: fingerprintOf(key),
      next: 'gpg --armor --detach-sign FILE    (gpg can use the card or agent that has it)',
    });
  }
  if (signing.isDecrypted()) return key;
  if (passphrase === undefined) {
    throw new OpenPgpError('openpgp.passphrase_missing', 'the private key is protected by a passphrase', {
      found: fingerprintOf(key),
    });
  }
  const { decryptKey } = await import('openpgp');
  try {
    return await decryptKey({ privateKey: key, passphrase });
  } catch {
    // The library's own error says no more, and might one day say too much.
    throw new OpenPgpError('openpgp.passphrase_wrong', 'the passphrase does not open the private key', {
      found: fingerprintOf(key),
    });
  }
}

async function readOneKey(file: string | Uint8Array): Promise<PrivateKey> {
  const { readKeys } = await import('openpgp');
  const armored = armoredText(file);
  let keys: Awaited<ReturnType<typeof readKeys>>;
  try {
    keys = await (armored === undefined
      ? readKeys({ binaryKeys: file as Uint8Array })
      : readKeys({ armoredKeys: armored }));
  } catch {
    // No cause: it could quote the file.
    throw (
      (await unsupportedKey(file)) ??
      new OpenPgpError('openpgp.key_unreadable', 'the file holds no OpenPGP key', EXPORTED)
    );
  }
  const [key, ...more] = keys;
  if (key === undefined || more.length > 0) {
    throw new OpenPgpError('openpgp.key_unreadable', `the file holds ${keys.length} keys, and one signs`, EXPORTED);
  }
  if (!key.isPrivate()) {
    throw new OpenPgpError('openpgp.key_not_private', 'the file holds a public key, which cannot sign', EXPORTED);
  }
  return key;
}

const EXPORTED = { expected: 'what `gpg --armor --export-secret-keys FINGERPRINT` writes' };
