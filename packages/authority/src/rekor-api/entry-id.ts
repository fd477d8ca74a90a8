import { AuthorityError } from '../authority-error/authority-error.ts';
import type { TransparencyLog } from '../transparency-log/transparency-log.ts';

const ENTRY_ID = /^(?:([0-9a-f]{16}))?([0-9a-f]{64})$/;

/**
 * The leaf hash in an entry's id: 64 hex digits, or 80 with the tree's id before them.
 * @throws AuthorityError `authority.request_malformed`; `authority.not_found` for another log's tree
 */
export function parseEntryId(id: string, log: Pick<TransparencyLog, 'treeId'>): Uint8Array {
  const [, tree, leafHash] = ENTRY_ID.exec(id.toLowerCase()) ?? [];
  if (leafHash === undefined)
    throw new AuthorityError('authority.request_malformed', 'an entry’s id is 64 or 80 hexadecimal digits');
  if (tree !== undefined && BigInt(`0x${tree}`) !== log.treeId) {
    throw new AuthorityError('authority.not_found', 'the log has no such entry');
  }
  return new Uint8Array(Buffer.from(leafHash, 'hex'));
}
