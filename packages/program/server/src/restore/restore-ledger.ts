import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@colophon/durable-file';
import { type RestoredLedger, restoredLedgerOrigin, restoredRow } from '@colophon/issuer';
import { openKeyFile } from '@colophon/keys';
import { FilePins, keyIdOf, type LogIdentity } from '@colophon/pins';
import { copyLedger, type Database, emptyLedger, LedgerStore, openDatabase, TreeRestoreStore } from '@colophon/store';
import { dataPaths, lockDataFolder } from '../data-folder/data-folder.ts';
import { assertHeld, ownTree } from '../pinned-history/own-trees.ts';
import { ServerError } from '../server-error/server-error.ts';
import { writeLedgerKey } from '../trust-files/trust-files.ts';
import { largestPin, mustNotGoOn, nextKey, pemOf, successorsOf } from './ended-log.ts';
import { type LedgerLineage, type LedgerRestore, ledgerLineage, removeFrozenDrafts } from './ledger-lineage.ts';

export type RestoreOptions = {
  readonly dataDir: string;
  readonly issuerUrl: string;
  readonly pinsFolder: string;
  /** In the words of the operator; it stands in the ledger for ever. */
  readonly reason: string;
};

/** What became of a ledger. */
export type RestoredAs = {
  readonly origin: string;
  readonly restored: readonly RestoredLedger[];
  /** RFC 3339, of the newest row that was left: names, keys and revocations of later are gone. Null where no row was. */
  readonly last_kept_at: string | null;
};

/**
 * Freezes a ledger that must not go on, and begins another with a name and a key of its own, whose first row names the
 * frozen one, what is known of it, and the reason. No server may run. A call that was killed is repeated: until the one
 * transaction at its end nothing is changed that a start would read.
 * @throws ServerError `server.nothing_to_restore` where the ledger continues everything that was seen of it; those of
 * lockDataFolder; PinError `pin.damaged`, `pin.unavailable`; KeyError; StoreError
 */
export async function restoreLedger({ dataDir, issuerUrl, pinsFolder, reason }: RestoreOptions): Promise<RestoredAs> {
  const unlock = lockDataFolder(dataDir);
  let db: Database | undefined;
  try {
    removeFrozenDrafts(dataDir);
    const paths = dataPaths(dataDir);
    db = openDatabase(paths.database);
    const lineage = ledgerLineage(db, dataDir, issuerUrl);
    const frozenKey = publicKeyOf(lineage, paths.ledgerPublicKey);
    const frozen = { origin: lineage.origin, publicKey: frozenKey };
    const tree = ownTree(db, 'ledger', frozen);
    const pins = new FilePins(pinsFolder);
    if (!mustNotGoOn(() => assertHeld(tree, pins))) {
      throw new ServerError(
        'server.nothing_to_restore',
        `the ledger "${lineage.origin}" continues everything that is pinned of it: there is no reason to begin another`,
      );
    }
    const { file: keyFile, key } = nextKey(paths.keys, 'ledger');
    const rows = new LedgerStore(db);
    const kept = rows.size();
    const lastKept = rows.last()?.issued_at;
    const name = keyFile.replace(/\.pem$/, '.db');
    if (kept > 0) {
      makeFolder(paths.frozen);
      copyLedger(db, paths.database, join(paths.frozen, name));
    }
    const at = Math.floor(Date.now() / 1000);
    const origin = restoredLedgerOrigin(issuerUrl, keyIdOf(key.publicKey));
    const ended = [frozen, ...successorsOf(frozen, pins, restoredLedgers(paths.keys, issuerUrl))].map((log, index) => {
      const restored = restoredFrom(log, pins, index === 0 ? kept : 0, reason);
      const row = restoredRow(restored, at);
      const file = index === 0 && kept > 0 ? name : null;
      const { origin: of, publicKey } = log;
      const record = {
        jti: row.jti,
        origin,
        key_file: keyFile,
        frozen: { origin: of, public_key: pemOf(publicKey), file },
      };
      return { log, restored, row, record: record satisfies LedgerRestore };
    });
    const written = db;
    const restores = new TreeRestoreStore(db);
    await db.write(() => {
      // A command may write without the lock of the folder, an erasure say: the copy does not have it.
      if (rows.size() !== kept) throw changedMeanwhile(dataDir);
      emptyLedger(written);
      rows.append(ended.map(({ row }) => row));
      for (const { record } of ended) restores.add('ledger', JSON.stringify(record));
    });
    // A start does both again.
    for (const { log } of ended) pins.retire(log, origin);
    writeLedgerKey(dataDir, key.spki);
    return {
      origin,
      restored: ended.map((one) => one.restored),
      last_kept_at: lastKept === undefined ? null : new Date(lastKept * 1000).toISOString().replace('.000Z', 'Z'),
    };
  } finally {
    db?.close();
    unlock();
  }
}

/** The folder's lock is not held by every command that writes. */
export function changedMeanwhile(dataDir: string): ServerError {
  return new ServerError(
    'server.data_folder_in_use',
    `another command wrote into ${dataDir} meanwhile: repeat this one`,
  );
}

/** Every ledger of the issuer that was begun by a restore, and whose key is there. */
function restoredLedgers(keys: string, issuerUrl: string): readonly LogIdentity[] {
  return readdirSync(keys)
    .filter((name) => /^ledger-[0-9a-f]{16}\.pem$/.test(name))
    .map((name) => openKeyFile(join(keys, name), 'ES256').publicKey)
    .map((publicKey) => ({ origin: restoredLedgerOrigin(issuerUrl, keyIdOf(publicKey)), publicKey }));
}

function restoredFrom(log: LogIdentity, pins: FilePins, kept: number, reason: string): RestoredLedger {
  const pinned = largestPin(log, pins);
  return {
    origin: log.origin,
    key_id: keyIdOf(log.publicKey),
    pinned_size: pinned?.size ?? 0,
    pinned_root: pinned === undefined ? null : Buffer.from(pinned.root).toString('hex'),
    kept_size: kept,
    reason,
  };
}

/** A key that is lost signs nothing any more, and what it signed is verified with its public half. */
function publicKeyOf({ keyFile }: LedgerLineage, publicFile: string): KeyObject {
  return existsSync(keyFile) ? openKeyFile(keyFile, 'ES256').publicKey : createPublicKey(readFileSync(publicFile));
}
