import { certifiedUserIds, fingerprintOf, readPublicKeys } from './public-keys.ts';

/** Whose key a file holds. */
export type DescribedKey = { readonly fingerprint: string; readonly userIds: readonly string[] };

/**
 * Says whose key a file holds, private or public, without opening it: the fingerprint as gpg prints it, and the names
 * that its owner certified, the main one first.
 * @throws OpenPgpError `openpgp.key_unreadable`
 */
export async function describeKey(file: string | Uint8Array, at: Date): Promise<DescribedKey> {
  const [key] = await readPublicKeys(file);
  return { fingerprint: fingerprintOf(key!), userIds: await certifiedUserIds(key!, at) };
}
