import type { AskLogOptions } from './ask-log.ts';
import type { LogHistory } from './log-history.ts';
import { rekorHistory } from './rekor-history.ts';
import { tileHistory } from './tile-history.ts';

/** The history of a transparency log: of a Rekor v1, which adds the number of its tree to its name, else of tiles. */
export function historyOf(logUrl: string, origin: string, options: AskLogOptions = {}): LogHistory {
  const [, treeId] = / - (\d+)$/.exec(origin) ?? [];
  return treeId === undefined ? tileHistory(logUrl, options) : rekorHistory(logUrl, treeId, options);
}
