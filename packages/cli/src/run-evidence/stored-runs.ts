import { parseSha256 } from '@colophon/notation';
import { parseCommitId } from '@colophon/records';
import { CliError } from '../cli-error/cli-error.ts';
import type { VerifiedRun } from './run-evidence.ts';

/** Which runs are asked for; what any of them finds is taken. */
export type RunChoice = {
  readonly commit?: readonly string[];
  readonly artifact?: readonly string[];
  /** A condition of the query language. */
  readonly where?: string;
};

/**
 * The conditions that a choice makes.
 * @throws CliError `cli.usage` for a commit or digest that is none
 */
export function conditionsOf({ commit = [], artifact = [], where }: RunChoice): readonly string[] {
  const commits = commit.map((text) => {
    if (parseCommitId(text) === undefined) throw usage(`${text} is no commit id`, '40 or 64 hex digits, lower case');
    return text;
  });
  const digests = artifact.map((text) => {
    const digest = parseSha256(text);
    if (digest === undefined) throw usage(`${text} is no digest`, 'sha256: and 64 hex digits');
    return digest;
  });
  return [
    ...(commits.length > 0 ? [`commit in (${commits.join(', ')})`] : []),
    ...(digests.length > 0 ? [`artifact in (${digests.join(', ')})`] : []),
    ...(where === undefined ? [] : [where]),
  ];
}

/**
 * Whether a run is one that was asked for: a server may hand out any other that is verified just as well. What `where`
 * finds is for the server to say.
 */
export function isChosen(
  { commit = [], artifact = [], where }: RunChoice,
  { commits, artifacts }: Pick<VerifiedRun, 'commits' | 'artifacts'>,
): boolean {
  return (
    where !== undefined ||
    commit.some((sha) => commits.includes(sha)) ||
    artifact.some((text) => artifacts.includes(parseSha256(text) ?? text))
  );
}

function usage(message: string, expected: string): CliError {
  return new CliError('cli.usage', message, { expected });
}
