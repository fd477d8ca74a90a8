import type { JsonValue } from '@colophon/json';
import {
  alsoHaving,
  count,
  digest,
  flag,
  having,
  listOf,
  logEntry,
  type ResultOf,
  string,
} from '@colophon/records/result';

/** Whom an entry names as a signer. */
const logSigner = alsoHaving(
  having('one signer, by its certificate or by its key', {
    trusted: flag(
      'whether the trusted root vouches for the certificate at the time of the log; false: it is what the entry says',
    ),
  }),
  {
    subject: string('the subject alternative name of the certificate, such as agent:code-writer'),
    issuer: string('the OIDC issuer in the certificate'),
    root: string(
      'name of the trusted root that vouches for the certificate; absent where none does, or it has no name',
    ),
    key_digest: { ...digest, description: 'SHA-256 of the public key, of a signer without an identity' },
  },
);
export type LogSigner = ResultOf<typeof logSigner>;

/** An entry whose inclusion proof, checkpoint and promise hold against the pinned key of its log. */
export const loggedEntry = having('one log entry, proven against the pinned key of its log', {
  uuid: string('its id'),
  ...logEntry.properties,
  kind: string('such as hashedrekord'),
  version: string('of the kind'),
  tree_size: { ...count, description: 'leaves of the tree in which the entry was proven' },
  signers: listOf('the signers that the entry names; the log has checked their signatures', logSigner),
  // JSON of any form, as it was handed in.
  body: { description: 'what was logged: the log vouches that it was handed in, and not that it is true' },
});
export type LoggedEntry = ResultOf<typeof loggedEntry> & { readonly body: JsonValue };
