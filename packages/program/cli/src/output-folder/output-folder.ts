import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemReason } from '@colophon/durable-file';
import { CliError } from '../cli-error/cli-error.ts';
import { unwritable, writeOutput } from '../input/input.ts';

/**
 * Writes all of the files into a folder, or none: what somebody else wrote is not replaced unless that is said.
 * @throws CliError `cli.file_taken`, `cli.file_unwritable`
 */
export function writeAll(
  folder: string,
  files: readonly { readonly name: string; readonly content: string }[],
  replace: boolean,
): void {
  for (const { name, content } of files) {
    const path = join(folder, name);
    if (replace || !existsSync(path) || readFileSync(path, 'utf8') === content) continue;
    throw new CliError('cli.file_taken', `${path} is there already, and says something else`, {
      checked: path,
      expected: '--replace, or another --out FOLDER',
    });
  }
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw unwritable(folder, systemReason(cause), cause);
  }
  for (const { name, content } of files) writeOutput(join(folder, name), content);
}
