import { isAffirmative, meaningOf } from '@colophon/admission/meaning';
import type { RejectedSignature, Statement } from '@colophon/records';
import { type Command, Option } from 'commander';
import { CliError, type ReportedIssue } from '../cli-error/cli-error.ts';

/** The flag of {@link withAffirmative}. */
export type AffirmativeFlags = { readonly affirmative?: boolean };

/** Adds `--affirmative` to a command that verifies statements. */
export function withAffirmative(command: Command): Command {
  return command.addOption(
    new Option(
      '--affirmative',
      'refuse (exit 20) what does not say yes: a rejection, a run not approved, a verification or test that failed, a type that is not known',
    ),
  );
}

/**
 * Refuses statements of which one does not say yes, where `--affirmative` asks for it: one no is not outvoted, and what
 * could not be read may be one.
 * @param statements of the pinned signer, at least one
 * @param unread what may be a statement of the signer, and was not read or is not what its type promises
 * @throws CliError `cli.not_affirmative`
 */
export function assertAffirmative(
  { affirmative = false }: AffirmativeFlags,
  statements: readonly Statement[],
  unread: readonly RejectedSignature[] = [],
): void {
  if (!affirmative) return;
  const against = statements.filter((statement) => !isAffirmative(meaningOf(statement)));
  const [first] = against;
  if (first === undefined && unread.length === 0) return;
  const issues = unread.map(({ code, message }): ReportedIssue => ({ code, message }));
  throw new CliError('cli.not_affirmative', 'the signature verifies, and the statement does not say yes', {
    expected: 'a statement that says yes',
    found: first === undefined ? 'a statement that was not read' : `${meaningOf(first)}: ${first.predicateType}`,
    ...(issues.length === 0 ? {} : { issues }),
  });
}
