import { type RunEvidence, repositoryPath } from '@colophon/sbom';
import { ForgeError } from '../forge-error/forge-error.ts';
import type { GitOptions } from '../git/git.ts';
import { openRepository, type Repository } from '../repository/repository.ts';
import { readWrittenFiles } from './written-file.ts';

/**
 * The runs, each with what its commit wrote, as the repository shows it. Content is found under the commit's own id, so
 * it does not matter whose repository it is.
 * @param place `named`: the user says that it is a repository; `likely`: nothing is read where it is none
 * @throws ForgeError `forge.no_repository` for a named folder that is in none, `forge.git_failed`
 */
export async function withWrittenFiles<Run extends RunEvidence>(
  runs: readonly Run[],
  place: { readonly named: string } | { readonly likely: string },
  options: GitOptions = {},
): Promise<readonly Run[]> {
  const repository = await repositoryAt(place, options);
  if (repository === undefined) return runs;
  const wanted = new Map<string, Set<string>>();
  for (const { run } of runs) {
    const { commit_sha: commit, files_changed: names = [] } = run.git;
    const paths = wanted.get(commit) ?? new Set();
    wanted.set(commit, paths);
    for (const path of names.flatMap((name) => repositoryPath(name) ?? [])) paths.add(path);
  }
  const found = await readWrittenFiles(repository, wanted, options);
  return runs.map((run) => {
    const written = found.get(run.run.git.commit_sha);
    return written === undefined ? run : { ...run, written };
  });
}

async function repositoryAt(
  place: { readonly named: string } | { readonly likely: string },
  options: GitOptions,
): Promise<Repository | undefined> {
  try {
    return await openRepository('named' in place ? place.named : place.likely, options);
  } catch (error) {
    if ('likely' in place && error instanceof ForgeError) return undefined;
    throw error;
  }
}
