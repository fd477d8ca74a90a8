/** Every code of {@link ForgeError}. */
export const FORGE_ERROR_CODES = [
  /** The program `git` is not on the path. */
  'forge.git_missing',
  /** The folder is in no git repository. */
  'forge.no_repository',
  /** Git refuses the repository because another user owns it. */
  'forge.unsafe_directory',
  /** The repository has no commit yet. */
  'forge.no_commits',
  /** No such commit, branch, tag or range. */
  'forge.unknown_revision',
  /** The range reaches beyond the history that is here. */
  'forge.shallow_history',
  /** What stands under an object's name is not what the name is the hash of. */
  'forge.object_corrupt',
  /** More output than the caller wanted to hold. */
  'forge.output_too_large',
  /** Git failed otherwise; the message has its own last words. */
  'forge.git_failed',
] as const;

/** One of {@link FORGE_ERROR_CODES}. */
export type ForgeErrorCode = (typeof FORGE_ERROR_CODES)[number];

/** What every operation of this package throws. */
export class ForgeError extends Error {
  override readonly name = 'ForgeError';
  readonly code: ForgeErrorCode;

  constructor(code: ForgeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
