import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Paths, relative to `root`, of all files that are committed or would be: tracked ones and new ones not ignored. */
export function trackedFiles(root: string): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(list.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path))).sort();
}

/** The shipped TypeScript of the packages: no tests, no test kit. */
export function packageSources(files: readonly string[]): string[] {
  return files.filter(
    (path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !path.endsWith('.test.ts') && !path.includes('/testkit/'),
  );
}
