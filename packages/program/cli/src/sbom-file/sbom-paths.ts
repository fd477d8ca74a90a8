import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** A file to read, or a pattern that no file matches. */
export type SbomPath = { readonly file: string; readonly isUnmatched?: boolean };

/**
 * The files that arguments name, each once, in order: `-`, a file, or a pattern that the shell has left as it is. What
 * exists under its literal name is no pattern.
 */
export async function expandPaths(paths: readonly string[]): Promise<readonly SbomPath[]> {
  const found = new Map<string, SbomPath>();
  for (const path of paths) {
    const isLiteral = path === '-' || existsSync(path);
    for (const one of isLiteral ? [{ file: path }] : await expandPattern(path)) found.set(one.file, one);
  }
  return [...found.values()];
}

/** Only what no file is called needs the package of patterns. */
async function expandPattern(path: string): Promise<readonly SbomPath[]> {
  const { glob, isDynamicPattern } = await import('tinyglobby');
  if (!isDynamicPattern(path)) return [{ file: path }];
  const files = await glob(path, { absolute: isAbsolute(path), expandDirectories: false, onlyFiles: true });
  return files.length === 0 ? [{ file: path, isUnmatched: true }] : files.sort().map((file) => ({ file }));
}
