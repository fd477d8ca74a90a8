import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerOrigin } from '@colophon/issuer';
import { type Database, TreeRestoreStore } from '@colophon/store';
import { dataPaths } from '../data-folder/data-folder.ts';
import { ServerError } from '../server-error/server-error.ts';

/** A ledger in `frozen/`, whole on disk. */
const LEDGER_FILE = /^ledger-[0-9a-f]{16}\.db$/;

/** A part of a copy, and what SQLite keeps beside it. */
const DRAFT = /^(?:ledger|logs)-[0-9a-f]{16}\.db\.new(?:-journal|-wal|-shm)?$/;

/** A ledger that was frozen, and the one that was begun in its place. */
export type LedgerRestore = {
  /** Id of the row that says so, the first one of the new ledger. */
  readonly jti: string;
  readonly origin: string;
  /** File in `keys/`. */
  readonly key_file: string;
  readonly frozen: {
    readonly origin: string;
    /** PEM. */
    readonly public_key: string;
    /** File in `frozen/`; null where nothing was left of it. */
    readonly file: string | null;
  };
};

/** The ledger that is written, and every one that was frozen before it. */
export type LedgerLineage = {
  readonly origin: string;
  readonly keyFile: string;
  /** The oldest first. */
  readonly restores: readonly LedgerRestore[];
};

/** Every ledger of the database that was frozen, the oldest first. @throws StoreError */
export function ledgerRestores(db: Database): readonly LedgerRestore[] {
  return new TreeRestoreStore(db).records('ledger').map((text) => JSON.parse(text) as LedgerRestore);
}

/** Of the database of a data folder, which may be open for reading alone. @throws StoreError */
export function ledgerLineage(db: Database, dataDir: string, issuerUrl: string): LedgerLineage {
  const restores = ledgerRestores(db);
  const { origin = ledgerOrigin(issuerUrl), key_file: keyFile = 'ledger.pem' } = restores.at(-1) ?? {};
  return { origin, keyFile: join(dataPaths(dataDir).keys, keyFile), restores };
}

/**
 * The database of a ledger that was frozen; undefined where nothing was left of it.
 * @throws ServerError `server.data_folder_damaged` where it is gone
 */
export function frozenFile(dataDir: string, { frozen }: LedgerRestore): string | undefined {
  if (frozen.file === null) return undefined;
  const file = join(dataPaths(dataDir).frozen, frozen.file);
  if (existsSync(file)) return file;
  throw new ServerError(
    'server.data_folder_damaged',
    `${file}, the ledger "${frozen.origin}" that was frozen by a restore, is missing: put it back from a copy`,
  );
}

/** A ledger in `frozen/`. */
export type FrozenFile = {
  readonly file: string;
  /** Undefined for a copy that no record names: a restore that was killed left it. */
  readonly origin: string | undefined;
};

/**
 * Every file of a frozen ledger.
 * @throws ServerError `server.data_folder_damaged` where one is gone that must be there
 */
export function frozenLedgerFiles(dataDir: string, restores: readonly LedgerRestore[]): readonly FrozenFile[] {
  const named = restores.flatMap((restore) => {
    const file = frozenFile(dataDir, restore);
    return file === undefined ? [] : [{ file, origin: restore.frozen.origin }];
  });
  const { frozen } = dataPaths(dataDir);
  const all = existsSync(frozen) ? readdirSync(frozen).filter((name) => LEDGER_FILE.test(name)) : [];
  const others = all.map((name) => join(frozen, name)).filter((file) => !named.some((one) => one.file === file));
  return [...named, ...others.map((file) => ({ file, origin: undefined }))];
}

/** Removes parts of copies: a restore that was killed left them, and they hold rows. One that is running ends with an error, and is repeated. */
export function removeFrozenDrafts(dataDir: string): void {
  const { frozen } = dataPaths(dataDir);
  if (!existsSync(frozen)) return;
  for (const name of readdirSync(frozen)) {
    if (DRAFT.test(name)) rmSync(join(frozen, name), { force: true });
  }
}
