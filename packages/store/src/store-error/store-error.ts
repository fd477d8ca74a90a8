/** Every code of {@link StoreError}. */
export const STORE_ERROR_CODES = [
  /**
   * The disk is full, read-only, failing, or held by another writer, or the database server is not there: nothing was
   * written, the same call may be tried again.
   */
  'store.unavailable',
  /** Somebody else changed the row since it was read, or made the same one: nothing was written; read again and decide anew. */
  'store.conflict',
  /** The connection broke while PostgreSQL was committing: read whether it is there before writing again. */
  'store.outcome_unknown',
  /** The address of the database is none that can be read. */
  'store.address_invalid',
  /** The database server does not let this user in, or there is no such database, or a right is missing. */
  'store.unauthorized',
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

/** What every operation of this package throws; `cause` is the database's own error where there is one. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** How a program ends with it where its code alone does not say: 3 where the database is a peer that is down. */
  readonly exitCode?: number;

  constructor(code: StoreErrorCode, message: string, options: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
    if (options.exitCode !== undefined) this.exitCode = options.exitCode;
  }
}

// Primary result codes, https://www.sqlite.org/rescode.html: PERM BUSY LOCKED NOMEM READONLY IOERR FULL CANTOPEN AUTH.
const UNAVAILABLE = new Set([3, 5, 6, 7, 8, 10, 13, 14, 23]);
const CORRUPT = 11;
const NO_DATABASE = 26;

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
