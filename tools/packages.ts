import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder of each package of the repository at `root`, by the package's name in its scope: `cli` → `packages/…`. Also
 * of one that lies in no house, which check-layers refuses.
 */
export function packageFolders(root: string): ReadonlyMap<string, string> {
  const manifests = globSync('packages/{*,*/*}/package.json', { cwd: root }).map((path) => {
    const { name } = JSON.parse(readFileSync(join(root, path), 'utf8')) as { name: string };
    return [name.slice(name.indexOf('/') + 1), dirname(path)] as const;
  });
  return new Map(manifests.sort(([one], [other]) => (one < other ? -1 : 1)));
}
