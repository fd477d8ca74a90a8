import type { EntryRow } from '@colophon/evidence';
import { parseCommitId, parseDigest } from '@colophon/records';
import { CliError } from '../cli-error/cli-error.ts';
import { queryEvidence } from '../evidence-client/evidence-client.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import type { VerifiedRun } from './run-evidence.ts';

/** Which runs are asked for; what any of them finds is taken. */
export type RunChoice = {
  readonly commit?: readonly string[];
  readonly artifact?: readonly string[];
  /** A condition of the query language. */
  readonly where?: string;
};

const PAGE = 1000;
/** More runs than one document is about; a server that never ends is stopped there. */
const MOST_RUNS = 100_000;

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
    const digest = parseDigest(text);
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
    artifact.some((text) => artifacts.includes(parseDigest(text) ?? text))
  );
}

/**
 * The ids of all runs that meet a condition, however many answers it takes. Which of them count is not for the server to
 * say.
 */
export async function findRuns(server: string, condition: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (let from = 0; ; ) {
    const question = `runs where (${condition}) and log.logIndex >= ${from} order by log.logIndex limit ${PAGE}`;
    const { rows, more } = await queryEvidence(server, question);
    const page = (Array.isArray(rows) ? rows : []) as readonly EntryRow[];
    const before = found.size;
    for (const row of page) if (isId(row?.id)) found.add(row.id);
    if (more !== true) return [...found];
    const last = Number(page.at(-1)?.log?.logIndex);
    if (found.size === before || found.size > MOST_RUNS || !Number.isSafeInteger(last)) {
      throw new CliError('cli.evidence_refused', 'the evidence store does not give all its runs', EXIT.refused, {
        checked: server,
        expected: `at most ${MOST_RUNS} runs, in the order of the log`,
        next: 'ask for fewer: --commit, --where',
      });
    }
    from = last;
  }
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[0-9a-f]{64}$/.test(id);
}

function usage(message: string, expected: string): CliError {
  return new CliError('cli.usage', message, EXIT.usage, { expected });
}
