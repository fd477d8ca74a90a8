import { readPublicKeys } from '../key/public-keys.ts';
import { readDetachedSignature } from './detached-signature.ts';

/**
 * Whether every signature of a `.asc` file names one key, or a subkey of it, as its maker. Nothing is verified: this
 * tells one's own files from another's. A file that is no signature is nobody's.
 * @param key private or public
 * @throws OpenPgpError `openpgp.key_unreadable`
 */
export async function isSignedBy(signature: Uint8Array, key: Uint8Array): Promise<boolean> {
  const [owner] = await readPublicKeys(key);
  const ids = owner!.getKeyIDs().map((id) => id.toHex());
  try {
    const packets = await readDetachedSignature(signature);
    return packets.every(({ issuerKeyID }) => ids.includes(issuerKeyID.toHex()));
  } catch {
    return false;
  }
}
