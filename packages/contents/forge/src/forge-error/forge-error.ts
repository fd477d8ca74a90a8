import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** The program `git` is not on the path. */
  'forge.git_missing': 'machine',
  /** The folder is in no git repository. */
  'forge.no_repository': 'usage',
  /** Git refuses the repository because another user owns it. */
  'forge.unsafe_directory': 'usage',
  /** The repository has no commit yet. */
  'forge.no_commits': 'nothing',
  /** No such commit, branch, tag or range. */
  'forge.unknown_revision': 'not-found',
  /** The range reaches beyond the history that is here. */
  'forge.shallow_history': 'nothing',
  /** What stands under an object's name is not what the name is the hash of. */
  'forge.object_corrupt': 'mismatch',
  /** More output than the caller wanted to hold. */
  'forge.output_too_large': 'machine',
  /** Git failed otherwise; the message has its own last words. */
  'forge.git_failed': 'machine',
} as const;

/** What every operation of this package throws. */
export const ForgeError = declareErrors('ForgeError', KINDS);
export type ForgeError = InstanceType<typeof ForgeError>;
