import {
  check,
  count,
  digestHex,
  having,
  listOf,
  oneOf,
  type ResultOf,
  string,
  timestamp,
} from '@colophon/records/result';

/** One log that was read from end to end. */
export const verifiedLog = having('one log, read from end to end', {
  log: oneOf('which of the two', ['transparency', 'certificate']),
  entry_count: { ...count, description: 'entries' },
  head_count: { ...count, description: 'signed heads that were ever made of it' },
  root_hash: { ...digestHex, description: 'RFC 6962 root over all entries, hex' },
  checks: listOf('what was read and compared', check),
});
export type VerifiedLog = ResultOf<typeof verifiedLog>;

/** Where our own logs name a token. */
export const tokenEntries = {
  certificates: listOf(
    'entries of the certificate log whose certificate names the token',
    having('one certificate', {
      log_index: { ...count, description: 'its index in the certificate log' },
      serial: string('serial number of the precertificate, hex'),
      logged_at: timestamp,
    }),
  ),
  log_entries: listOf(
    'entries of the transparency log with such a certificate',
    having('one entry', {
      log_index: { ...count, description: 'its index in the transparency log' },
      uuid: string('its id'),
      integrated_at: timestamp,
    }),
  ),
} as const;

export type TokenEntries = {
  readonly certificates: ResultOf<(typeof tokenEntries)['certificates']>;
  readonly log_entries: ResultOf<(typeof tokenEntries)['log_entries']>;
};
