import { entriesOfToken } from '@colophon/authority';
import { logsRestores, openFrozenLogs } from '@colophon/server/restore';
import type { Database } from '@colophon/store';

/**
 * Every entry with a certificate that names a token, of the logs that were frozen too.
 * @param db of the data folder
 * @throws ServerError `server.data_folder_damaged` where a file is gone; StoreError
 */
export function entriesOfAllLogs(db: Database, dataDir: string, jti: string): ReturnType<typeof entriesOfToken> {
  const opened: Database[] = [];
  try {
    const { frozen, firstIndex } = openFrozenLogs(dataDir, logsRestores(db), {
      readonly: true,
      opened: (one) => opened.push(one),
    });
    const found = [
      ...frozen.map((one) => entriesOfToken(one.db, jti, one.firstIndex)),
      entriesOfToken(db, jti, firstIndex),
    ];
    return {
      certificates: found.flatMap(({ certificates }) => certificates),
      log_entries: found.flatMap(({ log_entries }) => log_entries),
    };
  } finally {
    for (const one of opened) one.close();
  }
}
