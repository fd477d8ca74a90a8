/** Every code of {@link StoreError}. */
export const STORE_ERROR_CODES = [
  /** The disk is full, read-only, failing, or held by another writer: nothing was written, the same call may be tried again. */
  'store.unavailable',
  /** The file is no database any more, or has torn pages: restore it. */
  'store.corrupt',
  /** The nodes of a tree do not give the root that was signed. */
  'store.tree_corrupt',
  /** What was to be written contradicts what the tree already is: a second writer, or a restored backup. */
  'store.fork',
  /** A newer version of the program wrote this file. */
  'store.schema_newer',
  /** Opened for reading, and the file lacks tables that only a writer may make. */
  'store.schema_missing',
  /** The database was closed before the write was asked for. */
  'store.closed',
] as const;

/** One of {@link STORE_ERROR_CODES}. */
export type StoreErrorCode = (typeof STORE_ERROR_CODES)[number];

/** What every operation of this package throws; `cause` is SQLite's own error where there is one. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

// Primary result codes, https://www.sqlite.org/rescode.html: PERM BUSY LOCKED NOMEM READONLY IOERR FULL CANTOPEN AUTH.
const UNAVAILABLE = new Set([3, 5, 6, 7, 8, 10, 13, 14, 23]);
// CORRUPT NOTADB.
const CORRUPT = new Set([11, 26]);

/** SQLite's error as a {@link StoreError} where it is about the disk or the file; anything else comes back as it is. */
export function storeErrorOf(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const primary = error.errcode & 0xff;
  if (UNAVAILABLE.has(primary))
    return new StoreError('store.unavailable', `the database cannot be used now: ${error.message}`, { cause: error });
  if (CORRUPT.has(primary))
    return new StoreError('store.corrupt', `the database file is damaged: ${error.message}`, { cause: error });
  return error;
}
