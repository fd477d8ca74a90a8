/** Every code of {@link FeedsError}. */
export const FEEDS_ERROR_CODES = [
  /** The text is no package URL. */
  'feeds.purl_invalid',
  /** A package URL of a kind, or without a part, that no source can be fetched for. */
  'feeds.purl_unsupported',
  /** Neither here nor at the registry. */
  'feeds.package_not_found',
  /** The bytes are not those that the registry, a lockfile or the package URL announces. */
  'feeds.package_integrity',
  /** More bytes or files than the limit that the message names. */
  'feeds.package_too_large',
  /** The archive is broken, or has names that only an attack has. */
  'feeds.archive_refused',
  /** The folder cannot be read. */
  'feeds.folder_unreadable',
  /** The registry does not answer, or fails. */
  'feeds.registry_unreachable',
  /** The registry refuses the caller. */
  'feeds.registry_refused',
  /** What the registry answers is not what its protocol says. */
  'feeds.registry_answer_invalid',
  /** The registry's address, or one that it sends us to, must not be used. */
  'feeds.address_refused',
  /** There is no such folder, file or image. */
  'feeds.target_unknown',
  /** No program that makes SBOMs of such a thing is there, and no lockfile that is read. */
  'feeds.generator_missing',
  /** The program ended with an error. */
  'feeds.generator_failed',
  /** The program took longer than it may. */
  'feeds.generator_timeout',
  /** The program wrote more than it may, or no CycloneDX document. */
  'feeds.generator_output',
  /** A lockfile of a kind or version that is not read. */
  'feeds.lockfile_unsupported',
  /** A lockfile that is not what its name says. */
  'feeds.lockfile_invalid',
] as const;

/** One of {@link FEEDS_ERROR_CODES}. */
export type FeedsErrorCode = (typeof FEEDS_ERROR_CODES)[number];

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
};

/** What every operation of this package throws. No message, fact or cause holds a credential. */
export class FeedsError extends Error {
  override readonly name = 'FeedsError';
  readonly code: FeedsErrorCode;
  readonly facts: Facts;

  constructor(code: FeedsErrorCode, message: string, facts: Facts = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.facts = facts;
  }
}
