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
  /** The scanner that is asked for, or any, is not on PATH. */
  'feeds.scanner_missing',
  /** What is to be scanned is no SBOM. */
  'feeds.scanner_target',
  /** The scanner found no package to look up. */
  'feeds.scanner_no_packages',
  /** The scanner cannot be started, or ended with an error. */
  'feeds.scanner_failed',
  /** The scanner took longer than it may. */
  'feeds.scanner_timeout',
  /** The scanner wrote more than it may, or nothing. */
  'feeds.scanner_output',
  /** A lockfile of a kind or version that is not read. */
  'feeds.lockfile_unsupported',
  /** A lockfile that is not what its name says. */
  'feeds.lockfile_invalid',
  /** The address of a catalog feed is none, or must not be used. */
  'feeds.catalog_address_refused',
  /** The feed sends elsewhere. */
  'feeds.catalog_redirect_refused',
  /** The feed does not answer, is too slow, or fails. */
  'feeds.catalog_unreachable',
  /** The feed refuses the caller. */
  'feeds.catalog_refused',
  /** There is no feed at the address. */
  'feeds.catalog_not_found',
  /** The feed answers with a status that means no catalog. */
  'feeds.catalog_answer_invalid',
  /** More bytes than a catalog may have. */
  'feeds.catalog_too_large',
  /** The file of a feed cannot be read. */
  'feeds.catalog_file_unreadable',
  /** The dashboard's address is none, or would get the key in clear text. */
  'dashboard.address_refused',
  /** The dashboard does not answer, or fails. */
  'dashboard.unreachable',
  /** Something was sent and no answer came: it may have arrived. */
  'dashboard.outcome_unknown',
  /** The dashboard does not know the key. */
  'dashboard.unauthorized',
  /** The key may not do this. */
  'dashboard.forbidden',
  /** The dashboard has no such project, or it is no dashboard. */
  'dashboard.not_found',
  /** The dashboard refuses the document or the project. */
  'dashboard.refused',
  /** The dashboard redirects, and a key is for one address. */
  'dashboard.redirect_refused',
  /** The dashboard reads only versions of CycloneDX that are older than those we write. */
  'dashboard.version_unsupported',
  /** What answers is no dashboard that we know. */
  'dashboard.answer_invalid',
  /** The dashboard took the document and is not done with it in time. */
  'dashboard.processing_timeout',
] as const;

/** One of {@link FEEDS_ERROR_CODES}. */
export type FeedsErrorCode = (typeof FEEDS_ERROR_CODES)[number];

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
  /** What a peer lists as wrong. */
  readonly issues?: ReadonlyArray<{ readonly code: FeedsErrorCode; readonly message: string }>;
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
