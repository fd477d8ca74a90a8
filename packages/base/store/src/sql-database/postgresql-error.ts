import { StoreError, type StoreErrorCode } from '../store-error/store-error.ts';

// SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html: whole classes by their first two characters.
const CODE_BY_CLASS: Readonly<Record<string, StoreErrorCode>> = {
  '08': 'store.unavailable', // connection
  '25': 'store.unavailable', // transaction state: the server is a standby that takes no writes
  '28': 'store.unauthorized', // who connects
  '40': 'store.unavailable', // serialization, deadlock
  '53': 'store.unavailable', // disk, memory, connections used up
  '55': 'store.unavailable', // a lock that others hold
  '57': 'store.unavailable', // timeout, shutdown, starting up
  '58': 'store.unavailable', // input and output
  F0: 'store.corrupt',
  XX: 'store.corrupt',
};
const CODE_BY_STATE: Readonly<Record<string, StoreErrorCode>> = {
  '23505': 'store.conflict', // such a row is there
  '3D000': 'store.unauthorized', // no such database
  '42501': 'store.unauthorized', // a right that is missing
  XX000: 'store.unavailable', // a bug or a lost connection inside a pooler; a damaged file has its own states
};

/** What is no word of the server or the way to it. */
const OURS = [StoreError, TypeError, RangeError] as const;

/** The SQLSTATE of an error that the server sent, or undefined where the server said nothing. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && code.length === 5 && severity !== undefined ? code : undefined;
}

/**
 * What `pg` throws as a {@link StoreError}: errors of the server by SQLSTATE, whatever else happened on the way as
 * `store.unavailable`. A wrong statement, a broken constraint and a value that cannot be held come back as they are.
 */
export function postgresqlErrorOf(error: unknown): unknown {
  if (!(error instanceof Error) || OURS.some((kind) => error instanceof kind)) return error;
  const state = sqlStateOf(error);
  // The driver has no code for it: the server asked for a password, and none was given.
  if (state === undefined && error.message.startsWith('SASL: ')) {
    const message = 'PostgreSQL asks for a password, and none is known: neither by PGPASSWORD nor by ~/.pgpass';
    return new StoreError('store.unauthorized', message, { cause: error });
  }
  if (state === undefined)
    return new StoreError('store.unavailable', `PostgreSQL: ${reasonOf(error)}`, { cause: error, kind: 'peer' });
  const code = CODE_BY_STATE[state] ?? CODE_BY_CLASS[state.slice(0, 2)];
  if (code === undefined) return error;
  const kind = code === 'store.unavailable' ? ({ kind: 'peer' } as const) : {};
  return new StoreError(code, `PostgreSQL: ${error.message} (${state})`, { cause: error, ...kind });
}

// Several addresses of one host fail as one error without a text of its own.
function reasonOf(error: Error): string {
  const reasons = error instanceof AggregateError ? error.errors : [error];
  return reasons.map((one) => (one instanceof Error ? one.message : String(one))).join('; ') || error.name;
}
