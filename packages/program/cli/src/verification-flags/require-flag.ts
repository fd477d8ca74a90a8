import { type Command, Option } from 'commander';
import { underHeading } from '../program/help-layout.ts';
import { everyValue } from '../program/repeated-flag.ts';

/** The flag of {@link withRequire}. */
export type RequireFlags = { readonly require?: readonly string[] };

/** What says whose one signature counts, where `--require` says it of several. */
const ONE_SIGNER = [
  'certificateIdentity',
  'certificateIdentityRegexp',
  'certificateOidcIssuer',
  'certificateOidcIssuerRegexp',
  'certificateGithubWorkflowTrigger',
  'certificateGithubWorkflowRepository',
  'certificateGithubWorkflowSha',
  'identityGatedElsewhere',
  'key',
  'document',
  'requireInclusionProof',
];

/** Adds `--require`, by which several signers are asked for at once (contract §5.4). */
export function withRequire(command: Command): Command {
  return underHeading('verified', command, (verifying) =>
    verifying.addOption(
      new Option(
        '--require <rule>',
        "a signer who must have signed too, as in a policy's require: '{ issuer: URL, subject: NAME }', or a file with a list of them; repeatable",
      )
        .argParser(everyValue)
        .conflicts(ONE_SIGNER),
    ),
  );
}

/** Whether a line has no `--require`, and so has to say whose signature counts. */
export function requiresNobody(command: Command): boolean {
  return command.getOptionValue('require') === undefined;
}
