import type { ChangeFacts } from '@colophon/forge';
import { CLAIMS, readClaim } from '@colophon/records';
import type { NotedAuthor } from '../comment/noted-agent.ts';

/** The part of an agent-run predicate that notes and git say (contract §2.3). */
export type NotedRun = {
  readonly agent?: { readonly name?: string; readonly version?: string };
  readonly model?: { readonly id?: string; readonly provider?: string };
  readonly git: Pick<ChangeFacts, 'commit_sha' | 'files_changed' | 'lines_added' | 'lines_removed'>;
};

/** A value of a note that is not in the predicate, and why. */
export type LeftOut = { readonly path: string; readonly found: string; readonly expected: string };

const FIELDS = [
  { field: 'agent', claim: 'agent_name', path: ['agent', 'name'] },
  { field: 'version', claim: 'agent_version', path: ['agent', 'version'] },
  { field: 'model', claim: 'model_id', path: ['model', 'id'] },
  { field: 'provider', claim: 'model_provider', path: ['model', 'provider'] },
] as const;

/**
 * The predicate of a commit as far as notes say it. A value that no token could have is left out: whoever signs the run
 * could not confirm it.
 */
export function notedRun(
  author: NotedAuthor,
  change: ChangeFacts,
): { readonly predicate: NotedRun; readonly leftOut: readonly LeftOut[] } {
  const run: { [member in 'agent' | 'model']?: Record<string, string> } = {};
  const leftOut: LeftOut[] = [];
  for (const { field, claim, path } of FIELDS) {
    const [outer, inner] = path;
    const found = author[field];
    if (found === undefined) continue;
    const value = readClaim(claim, found);
    if (value === undefined) leftOut.push({ path: `/${path.join('/')}`, found, expected: CLAIMS[claim].form.expected });
    else run[outer] = { ...run[outer], [inner]: value };
  }
  const { commit_sha, files_changed, files_changed_count, lines_added, lines_removed } = change;
  if (files_changed.length < files_changed_count) {
    leftOut.push({
      path: '/git/files_changed',
      found: `${files_changed_count} paths`,
      expected: `fewer: the first ${files_changed.length} are told`,
    });
  }
  return { predicate: { ...run, git: { commit_sha, files_changed, lines_added, lines_removed } }, leftOut };
}
