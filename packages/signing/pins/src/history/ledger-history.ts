import { membersIn, underBase } from '@colophon/peer';
import { type AskLogOptions, askLog, senseless } from './ask-log.ts';
import { hexHashes } from './hash-list.ts';
import type { LogHistory } from './log-history.ts';

/** Where an issuer serves the newest checkpoint of its ledger, and proofs that it continues older ones. */
export const LEDGER_CHECKPOINT_PATH = '/ledger/checkpoint';
export const LEDGER_CONSISTENCY_PATH = '/ledger/consistency';

/** A ledger of an issuer, over HTTP: of this name, else the one that is written. */
export function ledgerHistory(issuerUrl: string, origin?: string, options: AskLogOptions = {}): LogHistory {
  const named = origin === undefined ? '' : `origin=${encodeURIComponent(origin)}`;
  return {
    place: issuerUrl,
    async newest() {
      return new TextDecoder().decode(
        await askLog(underBase(issuerUrl, `${LEDGER_CHECKPOINT_PATH}?${named}`), options),
      );
    },
    async consistency(first, second) {
      const url = underBase(issuerUrl, `${LEDGER_CONSISTENCY_PATH}?first=${first}&second=${second}&${named}`);
      const hashes = hexHashes(membersIn(await askLog(url, options))['hashes']);
      if (hashes === undefined) throw senseless(url, 'a consistency proof');
      return hashes;
    },
  };
}
