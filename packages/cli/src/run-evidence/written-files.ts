import type { VerifiedRun } from '@colophon/evidence/client';
import { ForgeError, type GitOptions, openRepository, type Repository, readWrittenFiles } from '@colophon/forge';
import { repositoryPath } from '@colophon/sbom';

/**
 * The runs, each with what its commit wrote, as the repository shows it. Content is found under the commit's own id, so
 * it does not matter whose repository it is.
 * @param place `named`: the user says that it is a repository; `likely`: nothing is read where it is none
 * @throws ForgeError `forge.no_repository` for a named folder that is in none, `forge.git_failed`
 */
export async function withWrittenFiles(
  runs: readonly VerifiedRun[],
  place: { readonly named: string } | { readonly likely: string },
  options: GitOptions = {},
): Promise<readonly VerifiedRun[]> {
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
