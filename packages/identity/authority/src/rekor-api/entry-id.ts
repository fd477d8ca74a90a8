import { parseLogEntryId } from '@colophon/notation';
import { AuthorityError } from '../authority-error/authority-error.ts';
import type { EntryId } from '../transparency-log/transparency-log.ts';

/**
 * An entry's id: the 64 hex digits of its leaf hash, or 80 with the tree's id before them.
 * @throws AuthorityError `authority.request_malformed`
 */
export function parseEntryId(id: string): EntryId {
  const parsed = parseLogEntryId(id.toLowerCase());
  if (parsed === undefined)
    throw new AuthorityError('authority.request_malformed', 'an entry’s id is 64 or 80 hexadecimal digits');
  const { treeId, leafHash } = parsed;
  return {
    treeId: treeId === undefined ? undefined : BigInt(`0x${treeId}`),
    leafHash: new Uint8Array(Buffer.from(leafHash, 'hex')),
  };
}
