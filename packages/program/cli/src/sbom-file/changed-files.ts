import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { systemReason } from '@colophon/durable-file';
import { repositoryPath } from '@colophon/sbom';
import { unreadable } from '../input/input.ts';

/**
 * The SHA-256 of every changed file that is a regular file of the repository, by its path inside; what is not there any
 * more is left out.
 * @param names as agent runs state them: anything
 * @throws CliError `cli.file_unreadable` where the folder is none
 */
export async function changedFiles(names: Iterable<string>, folder: string): Promise<ReadonlyMap<string, string>> {
  const root = rootOf(folder);
  const hashes = new Map<string, string>();
  for (const name of new Set(names)) {
    const path = repositoryPath(name);
    if (path === undefined || !isFileInside(root, join(root, path))) continue;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(root, path))) hash.update(chunk);
    hashes.set(path, hash.digest('hex'));
  }
  return hashes;
}

function rootOf(folder: string): string {
  try {
    if (statSync(folder).isDirectory()) return realpathSync(folder);
  } catch (cause) {
    throw unreadable(folder, systemReason(cause).replace('such file', 'such folder'), cause);
  }
  throw unreadable(folder, 'it is no folder');
}

/** The run names the path: a link on it must not lead to a file of somebody else. */
function isFileInside(root: string, place: string): boolean {
  try {
    return lstatSync(place).isFile() && realpathSync(place).startsWith(root.endsWith(sep) ? root : root + sep);
  } catch {
    // It is gone, or can be no name of a file.
    return false;
  }
}
