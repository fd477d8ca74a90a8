import { type GitOptions, runGit } from '../git/git.ts';
import type { Repository } from '../repository/repository.ts';

/**
 * Which of the files have one of the attributes set, by the working tree's `.gitattributes`.
 * @returns the first attribute of each file that has one
 */
export async function readAttributes(
  { root, isBare }: Repository,
  paths: readonly string[],
  attributes: readonly string[],
  options: GitOptions = {},
): Promise<ReadonlyMap<string, string>> {
  const set = new Map<string, string>();
  if (isBare || paths.length === 0) return set;
  const output = await runGit(root, ['check-attr', '-z', '--stdin', ...attributes], {
    ...options,
    input: `${paths.join('\0')}\0`,
  });
  const tokens = output.toString().split('\0');
  for (let i = 0; i + 2 < tokens.length; i += 3) {
    const [path = '', attribute = '', value = ''] = tokens.slice(i, i + 3);
    if ((value === 'set' || value === 'true') && !set.has(path)) set.set(path, attribute);
  }
  return set;
}
