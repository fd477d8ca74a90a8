import { PinError } from '../pin-error/pin-error.ts';
import type { AskLogOptions } from './ask-log.ts';
import type { LogHistory } from './log-history.ts';
import { activeTree, rekorHistory } from './rekor-history.ts';
import { tileHistory } from './tile-history.ts';

/** The history of a transparency log: of a Rekor v1, which adds the number of its tree to its name, else of tiles. */
export function historyOf(logUrl: string, origin: string, options: AskLogOptions = {}): LogHistory {
  const [, treeId] = / - (\d+)$/.exec(origin) ?? [];
  return treeId === undefined ? tileHistory(logUrl, options) : rekorHistory(logUrl, treeId, options);
}

/**
 * The newest checkpoint of a transparency log whose name is not known yet; nothing of it is believed.
 * @throws PinError `pin.log_unavailable`, `pin.log_refused`
 */
export async function newestOf(logUrl: string, options: AskLogOptions = {}): Promise<string> {
  try {
    return await activeTree(logUrl, options);
  } catch (error) {
    if (!(error instanceof PinError) || error.code !== 'pin.log_refused') throw error;
    return tileHistory(logUrl, options).newest();
  }
}
