import { count, listOf, type ResultOf, resultOf, string } from '@colophon/records/result';

/** `colophon config check`: what a file in order says, in short. */
export const configCheckResult = resultOf('a configuration file that is in order', {
  file: string('the file that was checked'),
  hash: string('sha256:<hex> of its bytes: stands in the ledger row of every token that is issued under it'),
  issuer: string('iss of every token'),
  roles: listOf('what is served', string('a role')),
  caller_count: count,
  agent_count: count,
  warnings: listOf('what is allowed, and most likely not meant', string('one sentence')),
});
export type ConfigCheckResult = ResultOf<typeof configCheckResult>;
