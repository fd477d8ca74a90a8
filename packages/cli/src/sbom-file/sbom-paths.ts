import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';

/** A file to read, or a pattern that no file matches. */
export type SbomPath = { readonly file: string; readonly isUnmatched?: boolean };

/**
 * The files that arguments name, each once, in order: `-`, a file, or a pattern that the shell has left as it is. What
 * exists under its literal name is no pattern.
 */
export async function expandPaths(paths: readonly string[]): Promise<readonly SbomPath[]> {
  const found = new Map<string, SbomPath>();
  for (const path of paths) {
    if (path === '-' || existsSync(path) || !isDynamicPattern(path)) {
      found.set(path, { file: path });
      continue;
    }
    const files = await glob(path, { absolute: isAbsolute(path), expandDirectories: false, onlyFiles: true });
    if (files.length === 0) found.set(path, { file: path, isUnmatched: true });
    for (const file of files.sort()) found.set(file, { file });
  }
  return [...found.values()];
}
