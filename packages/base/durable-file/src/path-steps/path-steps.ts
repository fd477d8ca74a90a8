import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** A folder on the way to a file, and what stands in it under the next name of the path. */
export type PathStep = {
  /** The folder, without links. */
  readonly path: string;
  readonly folder: Stats;
  readonly name: string;
  /** Undefined where nothing has this name; of the last step alone. */
  readonly entry: Stats | undefined;
};

/** As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * The way to a file on a POSIX system, as that goes it: where a name is a link, on along the link. The last step is where
 * the file is, or would be.
 * @throws Error of the system
 */
export function stepsTo(file: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  // As it is written: where a link goes before `..`, only the system knows what that leads back to.
  const names = namesIn(isAbsolute(file) ? file : `${process.cwd()}/${file}`);
  let path = '/';
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === '..') {
      path = dirname(path);
      continue;
    }
    const next = join(path, name);
    const entry = names.length === 0 ? lstatSync(next, { throwIfNoEntry: false }) : lstatSync(next);
    steps.push({ path, folder: statSync(path), name, entry });
    if (entry === undefined) return steps;
    if (!entry.isSymbolicLink()) {
      path = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
    const target = targetOf(next);
    if (target === undefined) return steps;
    if (isAbsolute(target)) path = '/';
    names.unshift(...namesIn(target));
  }
  return steps;
}

/** Some links below /proc stand for what is open, and lead to no name: a pipe, a terminal of another container. */
function targetOf(link: string): string | undefined {
  if (!link.startsWith('/proc/')) return readlinkSync(link);
  try {
    const target = realpathSync.native(link);
    const [open, named] = [statSync(link), statSync(target)];
    return open.dev === named.dev && open.ino === named.ino ? target : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
