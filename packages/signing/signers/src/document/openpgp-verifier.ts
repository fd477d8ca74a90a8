import { verifyDetached } from '@colophon/openpgp';
import { isPersonsKey } from '../person/person.ts';
import { NOT_COUNTED } from './verified-document.ts';
import type { VerifiedDocument } from './verified-document-result.ts';

/**
 * Verifies an OpenPGP signature over a document, by one of the keys given.
 * @param publicKeys armored or binary keys or keyrings
 * @throws OpenPgpError
 */
export async function verifyArmoredDocument(
  document: Uint8Array,
  signature: Uint8Array,
  publicKeys: readonly Uint8Array[],
): Promise<VerifiedDocument> {
  const verified = await verifyDetached(document, signature, { publicKeys, at: new Date() });
  const { fingerprint, userIds, signedAt, hash } = verified;
  const signer = userIds[0] ?? fingerprint;
  return {
    kind: 'openpgp',
    signer,
    names: [...new Set(verified.signatures.map((one) => one.fingerprint.toLowerCase()))],
    // Whoever gave the key says that it is somebody's; its owner put an address to it.
    is_person: isPersonsKey(userIds),
    signed_at: signedAt,
    fingerprint,
    checks: [
      { check: 'signature', detail: `detached, over the document's bytes, ${hash}` },
      { check: 'key', detail: `${fingerprint} is one of those given, neither expired nor revoked` },
      ...verified.signatures.slice(1).map((more) => ({
        check: 'signature',
        detail: `also by ${more.userIds[0] ?? more.fingerprint} (${more.fingerprint})`,
      })),
      ...verified.rejected.map(({ keyId, message }) => ({ check: NOT_COUNTED, detail: `${keyId}: ${message}` })),
    ],
  };
}

/** Whether a signature is a bundle: JSON. Neither an armored nor a binary OpenPGP signature begins as it does. */
export function isBundle(signature: Uint8Array): boolean {
  const first = signature.find((byte) => byte > 0x20);
  return first === '{'.charCodeAt(0);
}
