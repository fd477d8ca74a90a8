import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A policy file itself, or every `.yaml` and `.yml` file in a folder, by name: not those in folders below it, and not the
 * hidden entries that a mounted folder has of its own.
 * @throws Error of the file system
 */
export function policyFilesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => !name.startsWith('.') && /\.ya?ml$/.test(name));
  return names.sort().map((name) => join(path, name));
}
