import type { Key, PublicKeyPacket } from 'openpgp';
import { algorithmFault, signingAlgorithmFault } from '../algorithm/key-algorithm.ts';
import { nameOfKey, readPacketHead } from '../algorithm/packet-head.ts';
import { OpenPgpError } from '../openpgp-error/openpgp-error.ts';

/** A keyring larger than this was not made for one purpose. */
const MOST_KEYS = 256;

/**
 * The public keys of one file: armored or binary, one key or a keyring. Of a private key its public part is taken.
 * @throws OpenPgpError `openpgp.key_unreadable`, `openpgp.algorithm_unsupported`
 */
export async function readPublicKeys(file: string | Uint8Array): Promise<readonly Key[]> {
  const { readKeys } = await import('openpgp');
  let keys: readonly Key[];
  try {
    const armored = armoredText(file);
    keys = await (armored === undefined
      ? readKeys({ binaryKeys: file as Uint8Array })
      : readKeys({ armoredKeys: armored }));
  } catch (cause) {
    throw (
      (await unsupportedKey(file)) ??
      new OpenPgpError('openpgp.key_unreadable', 'the file holds no OpenPGP key', { ...EXPORTED, cause })
    );
  }
  if (keys.length === 0 || keys.length > MOST_KEYS) {
    throw new OpenPgpError('openpgp.key_unreadable', `the file holds ${keys.length} OpenPGP keys`, EXPORTED);
  }
  return keys.map((key) => (key.isPrivate() ? key.toPublic() : key));
}

const EXPORTED = { expected: 'what `gpg --armor --export` writes' };

/** The text where the file is armored, which is plain ASCII; nothing where it is binary. */
export function armoredText(file: string | Uint8Array): string | undefined {
  if (typeof file === 'string') return file;
  // The first byte of a packet has its highest bit set, and no character of an armor has.
  return file[0] !== undefined && file[0] < 0x80 ? new TextDecoder('latin1').decode(file) : undefined;
}

/** A key that the library takes for none, called by what it is. No fact holds more of the file than that. */
export async function unsupportedKey(file: string | Uint8Array): Promise<OpenPgpError | undefined> {
  const { unarmor } = await import('openpgp');
  const armored = armoredText(file);
  try {
    const bytes = armored === undefined ? (file as Uint8Array) : ((await unarmor(armored)).data as Uint8Array);
    const head = readPacketHead(bytes);
    const found = head && nameOfKey(head);
    if (found === undefined) return undefined;
    return new OpenPgpError('openpgp.algorithm_unsupported', `${found} is not read here`, { found });
  } catch {
    return undefined;
  }
}

/** A fingerprint as gpg prints it: hex in capitals. */
export function fingerprintOf(key: { getFingerprint(): string }): string {
  return key.getFingerprint().toUpperCase();
}

/**
 * Says why a key does not count at a time, by what the key itself says of it.
 * @param at the time at which it has to be good
 */
export async function whyUnusable(key: Key, at: Date, cause: unknown): Promise<OpenPgpError> {
  const fault = algorithmFault(key, key.keyPacket as PublicKeyPacket);
  if (fault !== undefined) return fault;
  const facts = { found: fingerprintOf(key) };
  const reason = cause instanceof Error ? (cause.message.split('\n', 1)[0] as string) : '';
  if ((await key.isRevoked(undefined, undefined, at)) || /revoked/i.test(reason)) {
    return new OpenPgpError('openpgp.key_revoked', 'its owner has revoked the key', { ...facts, cause });
  }
  const expires = await key.getExpirationTime();
  if ((expires instanceof Date && expires <= at) || /expired/i.test(reason)) {
    return new OpenPgpError('openpgp.key_expired', 'the key has expired', { ...facts, cause });
  }
  const inSubkey = signingAlgorithmFault(key);
  if (inSubkey !== undefined) return inSubkey;
  return new OpenPgpError('openpgp.key_unusable', `the key cannot be used: ${reason}`, { ...facts, cause });
}

/** The names of a key, the main one first. Anybody can add a name to a public key; its owner's signature over the name cannot be added. */
export async function certifiedUserIds(key: Key, at: Date): Promise<string[]> {
  const main = await key.getPrimaryUser(at).catch(() => undefined);
  const names = new Set<string>();
  if (main?.user.userID) names.add(main.user.userID.userID);
  for (const user of key.users) {
    const isCertified = await user.verify(at).then(
      () => true,
      () => false,
    );
    if (isCertified && user.userID) names.add(user.userID.userID);
  }
  return [...names];
}
