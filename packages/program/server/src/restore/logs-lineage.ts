import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type EndedLog, type FrozenLogs, type RestoredLogs, signedTree } from '@colophon/authority';
import type { LogIdentity } from '@colophon/pins';
import { type Database, openDatabase, TreeRestoreStore } from '@colophon/store';
import { certificateLogOrigin, dataPaths } from '../data-folder/data-folder.ts';
import { ServerError } from '../server-error/server-error.ts';

/** A log that ended by a restore. */
type EndedLogRecord = {
  /** Its name in checkpoints. */
  readonly origin: string;
  /** PEM. */
  readonly public_key: string;
};

/** Both logs of a data folder, frozen, and those that were begun in their place. */
export type LogsRestore = {
  /** RFC 3339: from when on the new keys count. */
  readonly at: string;
  /** RFC 3339: until when the old ones do. */
  readonly until: string;
  /** What the first entry of the new transparency log says: a JSON text. */
  readonly statement: string;
  /** Names in checkpoints. */
  readonly transparency_origin: string;
  readonly certificate_origin: string;
  /** Files in `keys/`. */
  readonly transparency_key_file: string;
  readonly certificate_key_file: string;
  readonly ended: {
    /** First the one that was written, then those that had taken its place already. */
    readonly transparency: readonly [EndedLogRecord, ...EndedLogRecord[]];
    readonly certificate: readonly [EndedLogRecord, ...EndedLogRecord[]];
  };
  /** File in `frozen/` with both logs; null where nothing was left of them. */
  readonly file: string | null;
};

/** The logs that are written, and every pair that was frozen before them. */
export type LogsLineage = {
  /** Files in `keys/`. */
  readonly transparencyKeyFile: string;
  readonly certificateKeyFile: string;
  readonly certificateOrigin: string;
  /** The oldest first. */
  readonly restores: readonly LogsRestore[];
};

/** Every pair of logs of the database that was frozen, the oldest first. @throws StoreError */
export function logsRestores(db: Database): readonly LogsRestore[] {
  return new TreeRestoreStore(db).records('logs').map((text) => JSON.parse(text) as LogsRestore);
}

/** Of the database of a data folder, which may be open for reading alone. @throws StoreError */
export function logsLineage(db: Database, issuerUrl: string): LogsLineage {
  const restores = logsRestores(db);
  const newest = restores.at(-1);
  return {
    transparencyKeyFile: newest?.transparency_key_file ?? 'transparency-log.pem',
    certificateKeyFile: newest?.certificate_key_file ?? 'certificate-log.pem',
    certificateOrigin: newest?.certificate_origin ?? certificateLogOrigin(issuerUrl),
    restores,
  };
}

/** Logs that were frozen, in a database that is open. */
export type OpenedLogs = FrozenLogs & {
  readonly file: string;
  /** Names in checkpoints. */
  readonly origins: { readonly transparency: string; readonly certificate: string };
  /** Entries of the trees before this one. */
  readonly firstIndex: number;
};

/**
 * Opens every pair of logs that was frozen and of which something is left, the oldest first.
 * @param opened is given each database, to be closed
 * @throws ServerError `server.data_folder_damaged` where a file is gone; StoreError
 */
export function openFrozenLogs(
  dataDir: string,
  restores: readonly LogsRestore[],
  { readonly = false, opened }: { readonly readonly?: boolean; readonly opened: (db: Database) => void },
): { readonly frozen: readonly OpenedLogs[]; readonly firstIndex: number } {
  let firstIndex = 0;
  const frozen = restores.flatMap((restore, index): OpenedLogs[] => {
    if (restore.file === null) return [];
    const file = join(dataPaths(dataDir).frozen, restore.file);
    const { transparency, certificate } = restore.ended;
    if (!existsSync(file)) throw missing(file, transparency[0].origin);
    // Who checks every page of it does not need the check at opening.
    const db = openDatabase(file, { readonly, isChecked: !readonly });
    opened(db);
    const one = {
      db,
      file,
      origins: { transparency: transparency[0].origin, certificate: certificate[0].origin },
      firstIndex,
      logKey: spkiOf(transparency[0].public_key),
      ctKey: spkiOf(certificate[0].public_key),
      statement: restores[index - 1]?.statement,
    };
    firstIndex += signedTree(db)?.size ?? 0;
    return [one];
  });
  return { frozen, firstIndex };
}

/** What the authority has to know of them; undefined where its logs are the first ones of the folder. */
export function restoredLogs(
  restores: LogsLineage['restores'],
  frozen: readonly FrozenLogs[],
): RestoredLogs | undefined {
  const newest = restores.at(-1);
  if (newest === undefined) return undefined;
  const ended = (kind: 'transparency' | 'certificate') =>
    restores.flatMap((restore, index): EndedLog[] =>
      restore.ended[kind].map(({ public_key }, place) => ({
        publicKey: spkiOf(public_key),
        // When one began whose own database was lost, nothing says.
        ...(place === 0 && index > 0 ? { validFrom: new Date(restores[index - 1]!.at) } : {}),
        validUntil: new Date(restore.until),
      })),
    );
  return {
    logKeyFile: newest.transparency_key_file,
    ctKeyFile: newest.certificate_key_file,
    validFrom: new Date(newest.at),
    statement: newest.statement,
    frozen,
    ended: { transparency: ended('transparency'), certificate: ended('certificate') },
  };
}

/** Every log that ended, each with the name of the one in its place. */
export function endedLogs({
  restores,
}: LogsLineage): readonly { readonly log: LogIdentity; readonly successor: string }[] {
  return restores.flatMap(({ ended, transparency_origin, certificate_origin }) => [
    ...ended.transparency.map((one) => ({ log: identityOf(one), successor: transparency_origin })),
    ...ended.certificate.map((one) => ({ log: identityOf(one), successor: certificate_origin })),
  ]);
}

function identityOf({ origin, public_key }: EndedLogRecord): LogIdentity {
  return { origin, publicKey: createPublicKey(public_key) };
}

function spkiOf(pem: string): Uint8Array {
  const key: KeyObject = createPublicKey(pem);
  return new Uint8Array(key.export({ type: 'spki', format: 'der' }));
}

function missing(file: string, origin: string): ServerError {
  return new ServerError(
    'server.data_folder_damaged',
    `${file}, the log "${origin}" that was frozen by a restore, is missing: put it back from a copy`,
  );
}
