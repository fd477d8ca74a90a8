/** Every code of {@link PublishingError}. */
export const PUBLISHING_ERROR_CODES = [
  /** Artifact or version cannot be part of a file name, or the document does not say them. */
  'publishing.name_invalid',
  /** The file name, also in another case, belongs to another artifact and version. */
  'publishing.name_taken',
  /** The version is published with other content. */
  'publishing.version_exists',
  /** The index is none of ours, or says what cannot be. */
  'publishing.index_invalid',
  /** The version must be kept until a date that has not come. */
  'publishing.retained',
  /** Fewer years than compliance asks for. */
  'publishing.retention_too_short',
  /** Nothing is published under this name. */
  'publishing.not_found',
  /** There is a document, and no signature to hold it against. */
  'publishing.signature_missing',
  /** A file is not what the index says, or the signature is not the document's. */
  'publishing.digest_mismatch',
  /** The document is about another artifact or version than the name it was found under. */
  'publishing.document_mismatch',
  /** What is fetched is not the file that was to be published. */
  'publishing.content_differs',
  /** There is no `-latest`, and there has to be one. */
  'publishing.latest_missing',
  /** `-latest` is a version that was published, and not the newest. */
  'publishing.latest_stale',
  /** `-latest` is a version that the index does not list. */
  'publishing.latest_unlisted',
  /** `-latest` says that it is a version whose published content is another. */
  'publishing.latest_differs',
  /** A signature beside `-latest` is not its version's. */
  'publishing.latest_signature',
  /** A file has more bytes than are read. */
  'publishing.too_large',
  /** The target's address cannot be used. */
  'publishing.target_invalid',
  /** A link, or what is no regular file or folder, stands in the way. */
  'publishing.link_refused',
  /** The file system refuses. */
  'publishing.target_unusable',
  /** Another publisher is at work, or stopped half-way a moment ago. */
  'publishing.target_busy',
  /** Nobody answers, or with a fault of the server. */
  'publishing.target_unavailable',
  /** The target wants another login, or none was given. */
  'publishing.target_unauthorized',
  /** The target does not take what is written. */
  'publishing.target_refused',
] as const;
export type PublishingErrorCode = (typeof PUBLISHING_ERROR_CODES)[number];

/** An SBOM cannot be published, fetched or deleted. */
export class PublishingError extends Error {
  override readonly name = 'PublishingError';
  readonly code: PublishingErrorCode;
  readonly expected?: string;
  readonly found?: string;
  constructor(
    code: PublishingErrorCode,
    message: string,
    details: { readonly expected?: string; readonly found?: string; readonly cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    if (details.expected !== undefined) this.expected = details.expected;
    if (details.found !== undefined) this.found = details.found;
  }
}
