import { parseSha256 } from '@colophon/notation';
import { parseCommitId } from '@colophon/records';
import type { VerifiedRun } from './verified-run.ts';

/** Which runs are asked for; what any of them finds is taken. */
export type RunChoice = {
  /** Git commits, 40 or 64 hex digits. */
  readonly commits?: readonly string[];
  /** Artifacts, `sha256:` and 64 hex digits. */
  readonly artifacts?: readonly string[];
  /** A condition of the query language. */
  readonly where?: string;
};

/**
 * The conditions that a choice makes.
 * @throws TypeError for a commit or digest that is none: it would become part of the question
 */
export function conditionsOf({ commits = [], artifacts = [], where }: RunChoice): readonly string[] {
  for (const text of commits) if (parseCommitId(text) === undefined) throw new TypeError(`${text} is no commit id`);
  const digests = artifacts.map((text) => {
    const digest = parseSha256(text);
    if (digest === undefined) throw new TypeError(`${text} is no digest`);
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
  { commits = [], artifacts = [], where }: RunChoice,
  run: Pick<VerifiedRun, 'commits' | 'artifacts'>,
): boolean {
  return (
    where !== undefined ||
    commits.some((sha) => run.commits.includes(sha)) ||
    artifacts.some((text) => run.artifacts.includes(parseSha256(text) ?? text))
  );
}
