import { alsoHaving, count, flag, having, listOf, type ResultOf, resultOf, string } from '@colophon/records/result';

/** `colophon config check`: what a file in order says, in short. */
export const configCheckResult = resultOf('a configuration file that is in order', {
  file: string('the file that was checked'),
  hash: string('sha256:<hex> of its bytes: stands in the ledger row of every token that is issued under it'),
  issuer: string('iss of every token'),
  roles: listOf('what is served', string('a role')),
  caller_count: count,
  agent_count: count,
  roots: listOf(
    'the trusted roots, and whom each certifies',
    alsoHaving(
      having('one trusted root', {
        name: string('how results call it'),
        file: string('its file'),
        issuers: listOf('the issuers that it certifies', string('an issuer, or a pattern of issuers')),
        certifies_others: flag('whether it certifies whom no other root names'),
      }),
      { seen_issuers: listOf('seen under it in the evidence store of this machine', string('an issuer')) },
    ),
  ),
  warnings: listOf('what is allowed, and most likely not meant', string('one sentence')),
});
export type ConfigCheckResult = ResultOf<typeof configCheckResult>;
