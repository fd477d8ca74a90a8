import { join } from 'node:path';
import { inScratchFolder } from '@colophon/durable-file';
import { type GitOptions, runGit } from '../git/git.ts';
import type { Repository } from '../repository/repository.ts';

/**
 * Which of the files have one of the attributes set, by the `.gitattributes` of one commit. The working tree's are not
 * read: whoever wrote the files that are looked at wrote those too.
 * @param at the commit; without one no attribute counts
 * @returns the first attribute of each file that has one
 * @throws ForgeError; ScratchError `scratch.folder_unusable`
 */
export async function readAttributes(
  { root, isBare }: Repository,
  at: string | undefined,
  paths: readonly string[],
  attributes: readonly string[],
  options: GitOptions = {},
): Promise<ReadonlyMap<string, string>> {
  const set = new Map<string, string>();
  if (isBare || at === undefined || paths.length === 0) return set;
  // An older git reads attributes from the working tree or from an index, and from no commit.
  const output = await inScratchFolder('attributes', async (scratch) => {
    const indexFile = join(scratch, 'index');
    await runGit(root, ['read-tree', at], { ...options, indexFile });
    const input = `${paths.join('\0')}\0`;
    return runGit(root, ['check-attr', '--cached', '-z', '--stdin', ...attributes], { ...options, indexFile, input });
  });
  const tokens = output.toString().split('\0');
  for (let i = 0; i + 2 < tokens.length; i += 3) {
    const [path = '', attribute = '', value = ''] = tokens.slice(i, i + 3);
    if ((value === 'set' || value === 'true') && !set.has(path)) set.set(path, attribute);
  }
  return set;
}
