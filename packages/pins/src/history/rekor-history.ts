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
    async newest() {
      const url = underBase(rekorUrl, '/api/v1/log');
      const answer = membersIn(await askLog(url, options));
      const shards: unknown[] = Array.isArray(answer['inactiveShards']) ? answer['inactiveShards'] : [];
      const trees = [answer, ...shards].map((one) => (one ?? {}) as { treeID?: unknown; signedTreeHead?: unknown });
      const note = trees.find(({ treeID }) => treeID === treeId)?.signedTreeHead;
      if (typeof note !== 'string') throw senseless(url, `a checkpoint of its tree ${treeId}`);
      return note;
    },
    async consistency(first, second) {
      const url = underBase(rekorUrl, `/api/v1/log/proof?firstSize=${first}&lastSize=${second}&treeID=${treeId}`);
      const hashes = hexHashes(membersIn(await askLog(url, options))['hashes']);
      if (hashes === undefined) throw senseless(url, 'a consistency proof');
      return hashes;
    },
  };
}
