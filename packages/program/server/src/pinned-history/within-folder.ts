import { isAbsolute, relative, sep } from 'node:path';

/** Whether a folder is another one, or lies in it: what is put back with that one is put back with it. */
export function isWithin(folder: string, other: string): boolean {
  const way = relative(other, folder);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
