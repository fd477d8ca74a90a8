import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the packages are called where they are published. */
export type Names = {
  /** With its at sign. */
  readonly scope: string;
  readonly version: string;
};

/** The scope from release/names.json, the version from the root's package.json. */
export function readNames(root: string): Names {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  return { scope: read('release/names.json').scope, version: read('package.json').version };
}

/** The file that `npm pack` writes for a library. */
export function tarballName(name: string, { scope, version }: Names): string {
  return `${scope.slice(1)}-${name}-${version}.tgz`;
}
