import { count, digestHex, having, oneOf, type ResultOf } from '@colophon/records/result';

/** One log that was read from end to end. */
export const verifiedLog = having('one log, read from end to end', {
  log: oneOf('which of the two', ['transparency', 'certificate']),
  entry_count: { ...count, description: 'entries' },
  head_count: { ...count, description: 'signed heads that were ever made of it' },
  root_hash: { ...digestHex, description: 'RFC 6962 root over all entries, hex' },
});
export type VerifiedLog = ResultOf<typeof verifiedLog>;
