import { isAbsolute, join, resolve } from 'node:path';
import { homeFolder } from '@colophon/durable-file';

type Environment = Readonly<Record<string, string | undefined>>;

/** The data folder: `--data`, else COLOPHON_HOME, else `colophon` in the user's data folder (XDG). */
export function dataFolder(env: Environment, flag?: string): string {
  if (flag) return resolve(flag);
  if (env['COLOPHON_HOME']) return resolve(env['COLOPHON_HOME']);
  return join(userFolder(env, 'XDG_DATA_HOME', '.local/share'), 'colophon');
}

/** The file with the local reviewers' secret, in the user's configuration folder, apart from the data that agents use. */
export function reviewerSecretFile(env: Environment): string {
  return join(userFolder(env, 'XDG_CONFIG_HOME', '.config'), 'colophon', 'reviewer-secret');
}

/** Where the largest sequence of each list of rejections is kept: beside the reviewers' secret, apart from the data. */
export function seenSequencesFolder(env: Environment): string {
  return join(userFolder(env, 'XDG_CONFIG_HOME', '.config'), 'colophon', 'seen-lists');
}

/** Where the largest checkpoint that was seen of each log is kept: beside the reviewers' secret, apart from the data. */
export function pinsFolder(env: Environment): string {
  return join(userFolder(env, 'XDG_CONFIG_HOME', '.config'), 'colophon', 'pins');
}

/** The key of the witness in `colophon run`, beside the reviewers' secret: whoever runs as this user can read it. */
export function witnessKeyFile(env: Environment): string {
  return join(userFolder(env, 'XDG_CONFIG_HOME', '.config'), 'colophon', 'witness.pem');
}

/** @see XDG Base Directory Specification: a relative path in one of these variables is to be ignored. */
function userFolder(env: Environment, variable: string, below: string): string {
  const folder = env[variable];
  if (folder && isAbsolute(folder)) return folder;
  return join(homeFolder(env), below);
}
