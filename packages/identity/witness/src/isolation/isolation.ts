import { execFileSync } from 'node:child_process';
import { realpathSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { stepsTo } from '@colophon/durable-file';

/** A user of this machine, as files see it. */
export type UnixUser = { readonly name: string; readonly uid: number; readonly gids: readonly number[] };

/** What is in the agent's reach and must not be: for a person. */
export type IsolationGap = { readonly path: string; readonly problem: string };

/** @throws Error where the machine has no such user */
export function unixUser(name: string): UnixUser {
  // A name that begins with a dash would be an option.
  if (!/^[A-Za-z_][A-Za-z0-9_.-]*\$?$/.test(name)) throw new Error('no name of a user');
  const idOf = (flag: string) =>
    execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return { name, uid: Number(idOf('-u')), gids: idOf('-G').trim().split(' ').map(Number) };
}

/**
 * What of these files another user could read, write or put in their place. Every folder on the way to a file counts,
 * those of links too: whoever may write there can replace what is below. An access control list is not looked into, so
 * whatever has one is a gap.
 * @param files secrets and sockets; each has to be there
 * @param isSecret false for files that the user may read
 */
export function gapsFor(user: UnixUser, files: readonly string[], ownUid: number, isSecret = true): IsolationGap[] {
  if (user.uid === ownUid) return [{ path: user.name, problem: 'the agent has the user of the witness itself' }];
  if (user.uid === 0) return [{ path: user.name, problem: 'root can read every file' }];
  return files.flatMap((file) => {
    const path = resolve(file);
    const stats = statSync(path);
    const isSocket = stats.isSocket();
    // Whoever may write to a socket may connect to it.
    const isOpen = may(user, stats, WRITE) || (isSecret && !isSocket && may(user, stats, READ));
    const steps = stepsTo(path);
    const listed = [realpathSync(path), ...steps.map((step) => step.path)].find(hasAccessControlList);
    if (listed !== undefined) return [{ path, problem: `${listed} has an access control list` }];
    const replaceable = steps.find(({ folder, entry }) => may(user, folder, WRITE) && !isSticky(folder, entry!, user));
    if (replaceable !== undefined) return [{ path, problem: `${user.name} may write in ${replaceable.path}` }];
    // What links stand before a file is no matter to whoever knows where it is.
    const isReachable = stepsTo(realpathSync(path)).every(({ folder }) => may(user, folder, ENTER));
    // Nobody knows where the other names of a file are.
    if (!isOpen || !(isReachable || (stats.isFile() && stats.nlink > 1))) return [];
    const what = isSocket ? 'connect to it' : isSecret ? 'read or write it' : 'write it';
    return [{ path, problem: `${user.name} can ${what}` }];
  });
}

/** `ls` marks it with a plus behind the mode (POSIX). */
function hasAccessControlList(path: string): boolean {
  return /^\S{10}\+/.test(
    execFileSync('ls', ['-ld', '--', path], { encoding: 'utf8', env: { PATH: process.env['PATH'], LC_ALL: 'C' } }),
  );
}

const [READ, WRITE, ENTER] = [4, 2, 1];

function may({ uid, gids }: UnixUser, stats: Stats, what: number): boolean {
  // An owner can change the mode.
  if (stats.uid === uid) return true;
  const bits = gids.includes(stats.gid) ? stats.mode >> 3 : stats.mode;
  return (bits & what) !== 0;
}

/** In a sticky folder, such as /tmp, only its owner and that of a file may replace the file. */
function isSticky(folder: Stats, file: Stats, { uid }: UnixUser): boolean {
  return (folder.mode & 0o1000) !== 0 && folder.uid !== uid && file.uid !== uid;
}
