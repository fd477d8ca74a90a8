import { createHash, type KeyObject, verify } from 'node:crypto';
import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject, type JsonValue } from '@colophon/json';

/** A tree head as a certificate log answers it (RFC 6962 §4.3). */
export type TreeHead = {
  readonly size: number;
  readonly root: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** The `digitally-signed` form of RFC 5246 §4.7. */
  readonly signature: Uint8Array;
};

const SHA256 = 4;
/** RFC 5246 §7.4.1.4.1. */
const SIGNATURE_ALGORITHMS: Readonly<Record<number, string>> = { 1: 'rsa', 3: 'ec' };

/** Reads the answer to get-sth; undefined for anything else. */
export function parseTreeHead(value: JsonValue): TreeHead | undefined {
  const { tree_size, timestamp, sha256_root_hash, tree_head_signature } = isJsonObject(value) ? value : {};
  const root = typeof sha256_root_hash === 'string' ? decodeBase64(sha256_root_hash) : undefined;
  const signature = typeof tree_head_signature === 'string' ? decodeBase64(tree_head_signature) : undefined;
  if (!isCount(tree_size) || !isCount(timestamp) || root?.length !== 32 || signature === undefined) return undefined;
  return { size: tree_size, root, timestamp, signature };
}

/** The key of `keys` that signed a tree head (RFC 6962 §3.5), or undefined where none did. */
export function signerOfTreeHead(
  { size, root, timestamp, signature }: TreeHead,
  keys: readonly KeyObject[],
): KeyObject | undefined {
  const signed = Buffer.alloc(50);
  signed[1] = 1;
  signed.writeBigUInt64BE(BigInt(timestamp), 2);
  signed.writeBigUInt64BE(BigInt(size), 10);
  signed.set(root, 18);
  const [digest, algorithm, ...length] = signature;
  const bytes = signature.subarray(4);
  if (digest !== SHA256 || length.length < 2 || bytes.length !== length[0]! * 256 + length[1]!) return undefined;
  return keys.find(
    (key) => key.asymmetricKeyType === SIGNATURE_ALGORITHMS[algorithm ?? 0] && verify('sha256', signed, key, bytes),
  );
}

/** SHA-256 of the key: how timestamps in certificates name their log. */
export function logIdOf(key: KeyObject): Uint8Array {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
