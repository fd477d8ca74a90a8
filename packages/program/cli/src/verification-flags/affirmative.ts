import { type Artifact, isYesTo } from '@colophon/admission/about';
import { isAffirmative, meaningOf } from '@colophon/admission/meaning';
import { isReviewType } from '@colophon/admission/review-type';
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

/** What the statements are verified against, and which of these it may be. */
export type Asked = { readonly digest: string; readonly kinds: ReadonlyArray<Artifact['kind']> };

/**
 * Refuses statements of which one does not say yes to what is asked, where `--affirmative` asks for it: one no is not
 * outvoted, what could not be read may be one, and a review of an index or a commit that names the digest too is none of it.
 * @param statements of the pinned signer, at least one
 * @param unread what may be a statement of the signer, and was not read or is not what its type promises
 * @throws CliError `cli.not_affirmative`
 */
export function assertAffirmative(
  { affirmative = false }: AffirmativeFlags,
  statements: readonly Statement[],
  { digest, kinds }: Asked,
  unread: readonly RejectedSignature[] = [],
): void {
  if (!affirmative) return;
  const artifact = { digest, digests: new Set([digest]) };
  const isYes = (statement: Statement) =>
    isAffirmative(meaningOf(statement)) &&
    (!isReviewType(statement.predicateType) || isYesTo(statement, artifact, kinds));
  const first = statements.find((statement) => !isYes(statement));
  if (first === undefined && unread.length === 0) return;
  const issues = unread.map(({ code, message }): ReportedIssue => ({ code, message }));
  throw new CliError('cli.not_affirmative', 'the signature verifies, and the statement does not say yes', {
    expected: 'a statement that says yes',
    found: first === undefined ? 'a statement that was not read' : whatIsSaid(first),
    ...(issues.length === 0 ? {} : { issues }),
  });
}

function whatIsSaid(statement: Statement): string {
  const meaning = meaningOf(statement);
  const about = isAffirmative(meaning) ? ', of something else' : '';
  return `${meaning}: ${statement.predicateType}${about}`;
}
