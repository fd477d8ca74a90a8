import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { systemReason } from '@colophon/durable-file';
import { parseVendoredPath } from '@colophon/sbom';
import { unreadable } from '../input/input.ts';
import { parsedFlag } from './parsed-flag.ts';

/**
 * Where a file or folder stands in its repository, whatever links lead to it from here.
 * @param rootFlag of the repository; without one, where `.git` is, else the current folder
 * @throws CliError `cli.file_unreadable`, `cli.usage` for what is outside
 */
export function pathInRepository(file: string, rootFlag: string | undefined): { path: string; root: string } {
  const real = realPath(file);
  const root = realPath(rootFlag ?? repositoryOf(dirname(real)) ?? '.');
  const path = relative(root, real).split(sep).join('/');
  return { path: parsedFlag(parseVendoredPath(path), file), root };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw unreadable(path, systemReason(cause).replace('such file', 'such file or folder'), cause);
  }
}

function repositoryOf(folder: string): string | undefined {
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, '.git'))) return here;
    if (dirname(here) === here) return undefined;
  }
}
