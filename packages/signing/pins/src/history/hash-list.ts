/** More than any proof has: a tree of 2^53 leaves needs fewer. */
const MOST_HASHES = 128;

/** Hashes in hex, as a proof in JSON has them; undefined for anything else. */
export function hexHashes(value: unknown): Uint8Array[] | undefined {
  if (!Array.isArray(value) || value.length > MOST_HASHES || !value.every(isHexHash)) return undefined;
  return value.map((text: string) => new Uint8Array(Buffer.from(text, 'hex')));
}

function isHexHash(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}
