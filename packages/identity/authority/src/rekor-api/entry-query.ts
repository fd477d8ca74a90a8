import type { JsonObject, JsonValue } from '@colophon/json';
import { hashLeaf } from '@colophon/merkle';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { readProposedEntry } from '../log-entry/proposed-entry.ts';
import type { LogEntry } from '../transparency-log/log-tree.ts';
import type { TransparencyLog } from '../transparency-log/transparency-log.ts';
import { parseEntryId } from './entry-id.ts';

/** Entries that one request may ask for. */
export const MAX_QUERIES = 10;

/** Which entries are asked for; nothing of it is looked up yet. */
export type EntryQuery = {
  readonly ids: readonly JsonValue[];
  /** Of what the proposed entries would be recorded as. */
  readonly leafHashes: readonly Uint8Array[];
  readonly indexes: readonly JsonValue[];
};

/**
 * Reads a query by id, by what an entry would be recorded as, and by index.
 * @throws AuthorityError `authority.too_many_queries`, `authority.request_malformed`, those of readProposedEntry
 */
export function readEntryQuery({ entryUUIDs, entries, logIndexes }: JsonObject): EntryQuery {
  const [ids, proposed, indexes] = [list(entryUUIDs), list(entries), list(logIndexes)];
  if (ids.length + proposed.length + indexes.length > MAX_QUERIES) {
    throw new AuthorityError('authority.too_many_queries', `more than max allowed ${MAX_QUERIES} entries in request`);
  }
  return { ids, leafHashes: proposed.map((entry) => hashLeaf(readProposedEntry(entry).body)), indexes };
}

/**
 * Finds entries by id, by what they would be recorded as, and by index, in this order; those that are not there are
 * left out.
 * @throws AuthorityError `authority.request_malformed`
 */
export function findEntries({ ids, leafHashes, indexes }: EntryQuery, log: TransparencyLog): LogEntry[] {
  return [
    ...ids.map((id) => findById(id, log)),
    ...leafHashes.map((leafHash) => log.findByLeafHash(leafHash)),
    ...indexes.map((index) => {
      if (!Number.isSafeInteger(index) || (index as number) < 0) throw malformed('a log index is a number from 0 on');
      return log.findByIndex(index as number);
    }),
  ].filter((entry) => entry !== undefined);
}

function findById(id: JsonValue, log: TransparencyLog): LogEntry | undefined {
  if (typeof id !== 'string') throw malformed('an entry’s id is a string');
  return log.findById(parseEntryId(id));
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw malformed('entryUUIDs, entries and logIndexes are lists');
  return value;
}

function malformed(message: string): AuthorityError {
  return new AuthorityError('authority.request_malformed', message);
}
