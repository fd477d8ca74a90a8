import type { JsonValue } from '@colophon/json';
import { count, having, logEntry, type ResultOf, string } from '@colophon/records/result';

/** An entry whose inclusion proof, checkpoint and promise hold against the pinned key of its log. */
export const loggedEntry = having('one log entry, proven against the pinned key of its log', {
  uuid: string('its id'),
  ...logEntry.properties,
  kind: string('such as hashedrekord'),
  version: string('of the kind'),
  tree_size: { ...count, description: 'leaves of the tree in which the entry was proven' },
  // JSON of any form, as it was handed in.
  body: { description: 'what was logged: the log vouches that it was handed in, and not that it is true' },
});
export type LoggedEntry = ResultOf<typeof loggedEntry> & { readonly body: JsonValue };
