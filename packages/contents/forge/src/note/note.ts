import { type GitOptions, runGit } from '../git/git.ts';
import { readObjects } from '../git/object.ts';
import type { Repository } from '../repository/repository.ts';

/**
 * The notes of some commits.
 * @param reference e.g. `refs/notes/ai`; one that is not there has no notes.
 * @returns the bytes of each note, by the commit that it is about
 */
export async function readNotes(
  { root }: Repository,
  reference: string,
  isWanted: (sha: string) => boolean,
  options: GitOptions = {},
): Promise<ReadonlyMap<string, Buffer>> {
  const listed = await runGit(root, ['notes', `--ref=${reference}`, 'list'], options);
  const pairs = listed
    .toString()
    .split('\n')
    .map((line) => line.split(' ') as [note: string, commit: string])
    .filter(([, commit]) => commit !== undefined && isWanted(commit));
  const objects = await readObjects(
    root,
    pairs.map(([note]) => note),
    options,
  );
  return new Map(pairs.map(([, commit], i) => [commit, objects[i]?.bytes ?? Buffer.alloc(0)]));
}
