import { parseLogEntryId } from '@colophon/notation';
import { AuthorityError } from '../authority-error/authority-error.ts';
import type { TransparencyLog } from '../transparency-log/transparency-log.ts';

/**
 * The leaf hash in an entry's id: 64 hex digits, or 80 with the tree's id before them.
 * @throws AuthorityError `authority.request_malformed`; `authority.not_found` for another log's tree
 */
export function parseEntryId(id: string, log: Pick<TransparencyLog, 'treeId'>): Uint8Array {
  const parsed = parseLogEntryId(id.toLowerCase());
  if (parsed === undefined)
    throw new AuthorityError('authority.request_malformed', 'an entry’s id is 64 or 80 hexadecimal digits');
  const { treeId, leafHash } = parsed;
  if (treeId !== undefined && BigInt(`0x${treeId}`) !== log.treeId) {
    throw new AuthorityError('authority.not_found', 'the log has no such entry');
  }
  return new Uint8Array(Buffer.from(leafHash, 'hex'));
}
