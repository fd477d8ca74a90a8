import { declareErrors } from '@colophon/fault';

const KINDS = {
  /**
   * The disk is full, read-only, failing, or held by another writer, or the database server is not there: nothing was
   * written, the same call may be tried again.
   */
  'store.unavailable': { kind: 'machine', httpStatus: 503 },
  /** Somebody else changed the row since it was read, or made the same one: nothing was written; read again and decide anew. */
  'store.conflict': 'mismatch',
  /** A token that counts once was used before: nothing was written. */
  'store.token_used': 'refused',
  /** The connection broke while PostgreSQL was committing: read whether it is there before writing again. */
  'store.outcome_unknown': 'peer',
  /** The address of the database is none that can be read. */
  'store.address_invalid': 'usage',
  /** The database server does not let this user in, or there is no such database, or a right is missing. */
  'store.unauthorized': 'unauthorized',
  /** The file is no database any more, or has torn pages: restore it. */
  'store.corrupt': 'machine',
  /** The nodes of a tree do not give the root that was signed. */
  'store.tree_corrupt': 'machine',
  /** What was to be written contradicts what the tree already is: a second writer, or a restored backup. */
  'store.fork': 'machine',
  /** A newer version of the program wrote this file. */
  'store.schema_newer': 'machine',
  /** A version of the program that was never released wrote this file. */
  'store.schema_unreleased': 'machine',
  /** Opened for reading, and the file lacks tables that only a writer may make. */
  'store.schema_missing': 'machine',
  /** The database was closed before the write was asked for. */
  'store.closed': 'machine',
} as const;

/** One of {@link StoreError.codes}. */
export type StoreErrorCode = keyof typeof KINDS;

/** What every operation of this package throws; `cause` is the database's own error where there is one. */
export const StoreError = declareErrors('StoreError', KINDS);
export type StoreError = InstanceType<typeof StoreError>;

// Primary result codes, https://www.sqlite.org/rescode.html: PERM BUSY LOCKED NOMEM READONLY IOERR FULL CANTOPEN AUTH.
const UNAVAILABLE = new Set([3, 5, 6, 7, 8, 10, 13, 14, 23]);
const CORRUPT = 11;
const NO_DATABASE = 26;
// Extended result codes: CONSTRAINT_PRIMARYKEY, CONSTRAINT_UNIQUE, CONSTRAINT_ROWID.
const NOT_UNIQUE = new Set([1555, 2067, 2579]);

/** SQLite's error as a {@link StoreError} where it is about the disk or the file; anything else comes back as it is. */
export function storeErrorOf(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const primary = error.errcode & 0xff;
  if (UNAVAILABLE.has(primary))
    return new StoreError('store.unavailable', `the database cannot be used now: ${error.message}`, { cause: error });
  if (primary === NO_DATABASE)
    return new StoreError('store.corrupt', 'the file is no SQLite database, or its first page is damaged', {
      cause: error,
    });
  if (primary === CORRUPT)
    return new StoreError('store.corrupt', `the database file is damaged: ${error.message}`, { cause: error });
  return error;
}

/** SQLite's error of a row that is there already as `store.conflict`; anything else comes back as it is. */
export function conflictOf(error: unknown): unknown {
  if (!NOT_UNIQUE.has((error as { errcode?: number }).errcode ?? 0)) return error;
  return new StoreError('store.conflict', 'such a row is there already', { cause: error });
}
