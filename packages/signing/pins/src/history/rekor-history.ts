import { membersIn, underBase } from '@colophon/peer';
import { type AskLogOptions, askLog, senseless } from './ask-log.ts';
import { hexHashes } from './hash-list.ts';
import type { LogHistory } from './log-history.ts';

/**
 * One tree of a Rekor v1, by its number: the active one, or an inactive shard.
 * @see https://github.com/sigstore/rekor/blob/v1.5.5/openapi.yaml (/api/v1/log)
 */
export function rekorHistory(rekorUrl: string, treeId: string, options: AskLogOptions = {}): LogHistory {
  return {
    place: rekorUrl,
    newest: () => treeHead(rekorUrl, options, ({ treeID }) => treeID === treeId),
    async consistency(first, second) {
      const url = underBase(rekorUrl, `/api/v1/log/proof?firstSize=${first}&lastSize=${second}&treeID=${treeId}`);
      const hashes = hexHashes(membersIn(await askLog(url, options))['hashes']);
      if (hashes === undefined) throw senseless(url, 'a consistency proof');
      return hashes;
    },
  };
}

/** The checkpoint of the tree that a Rekor v1 writes into. @throws PinError `pin.log_unavailable`, `pin.log_refused` */
export function activeTree(rekorUrl: string, options: AskLogOptions = {}): Promise<string> {
  return treeHead(rekorUrl, options, () => true);
}

type Tree = { readonly treeID?: unknown; readonly signedTreeHead?: unknown };

/** The active tree comes first. */
async function treeHead(rekorUrl: string, options: AskLogOptions, isMeant: (tree: Tree) => boolean): Promise<string> {
  const url = underBase(rekorUrl, '/api/v1/log');
  const answer = membersIn(await askLog(url, options));
  const shards: unknown[] = Array.isArray(answer['inactiveShards']) ? answer['inactiveShards'] : [];
  const note = [answer, ...shards].map((one) => (one ?? {}) as Tree).find(isMeant)?.signedTreeHead;
  if (typeof note !== 'string') throw senseless(url, 'a checkpoint of this tree');
  return note;
}
