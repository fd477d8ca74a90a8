import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { parseVendoredPath } from '@colophon/sbom';
import { CliError } from '../cli-error/cli-error.ts';
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
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    const why = code === 'ENOENT' ? 'there is no such file or folder' : code;
    throw new CliError('cli.file_unreadable', `${path}: ${why}`, { checked: path, cause });
  }
}

function repositoryOf(folder: string): string | undefined {
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, '.git'))) return here;
    if (dirname(here) === here) return undefined;
  }
}
