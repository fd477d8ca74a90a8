import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The data folder: `--data`, else COLOPHON_HOME, else `colophon` in the user's data folder (XDG). */
export function dataFolder(env: Environment, flag?: string): string {
  if (flag) return resolve(flag);
  if (env['COLOPHON_HOME']) return resolve(env['COLOPHON_HOME']);
  return join(env['XDG_DATA_HOME'] || join(env['HOME'] || homedir(), '.local', 'share'), 'colophon');
}

/** The file with the local reviewers' secret, in the user's configuration folder, apart from the data that agents use. */
export function reviewerSecretFile(env: Environment): string {
  return join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'colophon', 'reviewer-secret');
}
