import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/**
 * Where a program is: in a folder of PATH, else among the programs that were installed together with this one
 * (`node_modules/.bin`). Never in the folder that is looked at, which would run a stranger's program.
 */
export function findProgram(name: string, path: string | undefined): string | undefined {
  // An empty or relative entry means wherever somebody stands.
  const folders = [...(path ?? '').split(delimiter).filter(isAbsolute), ...installedPrograms()];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function installedPrograms(): string[] {
  const folders: string[] = [];
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    folders.push(join(folder, 'node_modules', '.bin'));
  }
  return folders;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
