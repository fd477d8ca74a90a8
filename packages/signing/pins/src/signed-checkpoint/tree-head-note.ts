import { createHash, type KeyObject } from 'node:crypto';
import { equalBytes, formatCheckpoint, signNote } from '@colophon/merkle';
import { keyHashOf } from './key-id.ts';

/** Signature type of a tree head in a note. */
const RFC6962_NOTE_SIGNATURE = 0x05;
/** SHA-256, ECDSA (RFC 5246 §7.4.1.4.1). */
const DIGITALLY_SIGNED = Buffer.of(4, 3);
const TIMESTAMP_BYTES = 8;
const HEADER_BYTES = TIMESTAMP_BYTES + DIGITALLY_SIGNED.length + 2;

/** A signed tree head of RFC 6962 §4.3. */
export type TreeHeadSignature = {
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** DER. */
  readonly signature: Uint8Array;
};

/**
 * The tree head of a certificate log in the form that checkpoints have, its signature unchanged.
 * @see c2sp.org/static-ct-api#checkpoints
 */
export function treeHeadNote(
  log: { readonly origin: string; readonly publicKey: KeyObject },
  tree: { readonly size: number; readonly root: Uint8Array },
  { timestamp, signature }: TreeHeadSignature,
): string {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeBigUInt64BE(BigInt(timestamp));
  DIGITALLY_SIGNED.copy(header, TIMESTAMP_BYTES);
  header.writeUInt16BE(signature.length, TIMESTAMP_BYTES + DIGITALLY_SIGNED.length);
  return signNote(formatCheckpoint({ origin: log.origin, ...tree }), {
    name: log.origin,
    keyHash: noteKeyHash(log.origin, log.publicKey),
    sign: () => Buffer.concat([header, signature]),
  });
}

/** What such a signature covers, and the signature itself; undefined where it is none, by its key hash. */
export function treeHeadOf(
  line: {
    readonly name: string;
    readonly keyHash: Uint8Array;
    readonly signature: Uint8Array;
    readonly size: number;
    readonly root: Uint8Array;
  },
  publicKey: KeyObject,
): { readonly signed: Uint8Array; readonly signature: Uint8Array } | undefined {
  const { name, keyHash, size, root } = line;
  if (!equalBytes(keyHash, noteKeyHash(name, publicKey))) return undefined;
  const bytes = Buffer.from(line.signature);
  const signature = bytes.subarray(HEADER_BYTES);
  const isWhole =
    bytes.length > HEADER_BYTES &&
    bytes.subarray(TIMESTAMP_BYTES, TIMESTAMP_BYTES + DIGITALLY_SIGNED.length).equals(DIGITALLY_SIGNED) &&
    bytes.readUInt16BE(HEADER_BYTES - 2) === signature.length;
  // One that is cut covers nothing.
  if (!isWhole) return { signed: new Uint8Array(), signature: new Uint8Array() };
  const sizeBytes = Buffer.alloc(8);
  sizeBytes.writeBigUInt64BE(BigInt(size));
  // TreeHeadSignature, RFC 6962 §3.5: version 1, type tree_hash.
  const signed = Buffer.concat([Buffer.of(0, 1), bytes.subarray(0, TIMESTAMP_BYTES), sizeBytes, root]);
  return { signed, signature };
}

function noteKeyHash(name: string, publicKey: KeyObject): Uint8Array {
  const logId = keyHashOf(publicKey);
  const hash = createHash('sha256').update(`${name}\n`).update(Buffer.of(RFC6962_NOTE_SIGNATURE)).update(logId);
  return new Uint8Array(hash.digest().subarray(0, 4));
}
