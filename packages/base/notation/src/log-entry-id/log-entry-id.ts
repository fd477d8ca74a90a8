import { isSha256Hex } from '../digest/digest.ts';

/** How Rekor names an entry. */
export type LogEntryId = {
  /** 16 hex digits in lower case; Rekor's answers have it, requests may leave it out. */
  readonly treeId?: string;
  /** SHA-256 of the leaf: 64 hex digits in lower case. */
  readonly leafHash: string;
};

const HASH_DIGITS = 64;
const TREE_ID = /^[0-9a-f]{16}$/;

/** Reads an id in lower case. Undefined for anything else. */
export function parseLogEntryId(text: string): LogEntryId | undefined {
  const [treeId, leafHash] = [text.slice(0, -HASH_DIGITS), text.slice(-HASH_DIGITS)];
  if (!isSha256Hex(leafHash)) return undefined;
  if (treeId === '') return { leafHash };
  return TREE_ID.test(treeId) ? { treeId, leafHash } : undefined;
}
