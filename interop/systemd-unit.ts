import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const UNIT = join(import.meta.dirname, '../deploy/systemd/colophon.service');

/** The names of system calls that the unit lets the program make, as this machine's systemd reads them. */
export function allowedSystemCalls(): string[] {
  const lines = [...readFileSync(UNIT, 'utf8').matchAll(/^SystemCallFilter=(~?)(.*)$/gm)];
  const allowed = new Set<string>();
  for (const [, not, sets = ''] of lines) {
    const named = sets.split(' ').flatMap(expand);
    if (not === '') for (const name of named) allowed.add(name);
    else for (const name of named) allowed.delete(name);
  }
  return [...allowed, ...expand('@default')];
}

function expand(name: string): string[] {
  if (!name.startsWith('@')) return [name];
  const shown = execFileSync('systemd-analyze', ['syscall-filter', '--no-pager', name], { encoding: 'utf8' });
  const below = shown.split('\n').flatMap((line) => /^ {4}(@?\w[\w-]*)$/.exec(line)?.[1] ?? []);
  return below.flatMap(expand);
}
