import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders } from '../packages.ts';

/** Paths, relative to `root`, of all files that are committed or would be: tracked ones and new ones not ignored. */
export function trackedFiles(root: string): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(list.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path))).sort();
}

/** Paths, relative to `root`, of the shipped TypeScript of the packages: no tests, no test kit. Needs no git. */
export function packageSources(root: string): string[] {
  return [...packageFolders(root).values()]
    .filter((folder) => existsSync(join(root, folder, 'src')))
    .flatMap((folder) =>
      readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${folder}/src/${path}`,
      ),
    )
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('/testkit/'))
    .sort();
}
