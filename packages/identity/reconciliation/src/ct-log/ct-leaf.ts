/** What a leaf of a certificate log is about: a certificate, or the TBSCertificate of one without its poison; DER. */
export type CtLeaf = { readonly kind: 'x509' | 'precert'; readonly der: Uint8Array };

const HASH_BYTES = 32;

/**
 * Takes a MerkleTreeLeaf of version 1 apart (RFC 6962 §3.4); every byte of it has to be accounted for.
 * @returns undefined for a leaf of another version or kind, or of a wrong length
 */
export function parseCtLeaf(leaf: Uint8Array): CtLeaf | undefined {
  const view = new DataView(leaf.buffer, leaf.byteOffset, leaf.byteLength);
  // version, leaf type, time of 8 bytes, entry type.
  if (leaf.length < 12 || leaf[0] !== 0 || leaf[1] !== 0) return undefined;
  const type = view.getUint16(10);
  if (type > 1) return undefined;
  const lengthAt = type === 0 ? 12 : 12 + HASH_BYTES;
  if (leaf.length < lengthAt + 3) return undefined;
  const start = lengthAt + 3;
  const end = start + view.getUint8(lengthAt) * 2 ** 16 + view.getUint16(lengthAt + 1);
  if (leaf.length < end + 2 || leaf.length !== end + 2 + view.getUint16(end)) return undefined;
  return { kind: type === 0 ? 'x509' : 'precert', der: leaf.subarray(start, end) };
}
