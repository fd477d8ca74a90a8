import { parseJsonObject } from '../http/json-body.ts';
import { MAX_ENVELOPE_BYTES } from '../log-entry/dsse-envelope.ts';
import { readProposedEntry, type VerifiedEntry } from '../log-entry/proposed-entry.ts';
import { type EntryQuery, readEntryQuery } from './entry-query.ts';

/** Bytes of a proposed entry: the largest envelope, escaped inside JSON, and some certificates. */
export const MAX_ENTRY_BYTES = MAX_ENVELOPE_BYTES + 1024 * 1024;

const LIMITS = { maxBytes: MAX_ENTRY_BYTES, maxDepth: 32 };

/**
 * How the log reads those bodies that may be large: an attestation can hold an SBOM of megabytes. Each is pure: it may
 * run in another process, and its answer can be sent from there.
 */
export const BODY_READERS = {
  /** @throws AuthorityError, those of readProposedEntry, `authority.request_malformed`, `authority.request_too_large` */
  logEntry: (body: Uint8Array): VerifiedEntry => readProposedEntry(parseJsonObject(body, LIMITS)),
  /** @throws AuthorityError, those of readEntryQuery, `authority.request_malformed`, `authority.request_too_large` */
  logQuery: (body: Uint8Array): EntryQuery => readEntryQuery(parseJsonObject(body, LIMITS)),
} as const;

type Readers = typeof BODY_READERS;

/** Reads a body where nobody else waits for it. Fails as the reader of {@link BODY_READERS} would. */
export type ReadBody = <Name extends keyof Readers>(name: Name, body: Uint8Array) => Promise<ReturnType<Readers[Name]>>;

/** Reads the body on the spot. */
export const readOnTheSpot: ReadBody = async (name, body) =>
  BODY_READERS[name](body) as ReturnType<Readers[typeof name]>;
