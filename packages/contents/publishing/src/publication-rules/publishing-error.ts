import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** Artifact or version cannot be part of a file name, or the document does not say them. */
  'publishing.name_invalid': 'usage',
  /** The file name, also in another case, belongs to another artifact and version. */
  'publishing.name_taken': 'refused',
  /** The version is published with other content. */
  'publishing.version_exists': 'refused',
  /** The index is none of ours, or says what cannot be. */
  'publishing.index_invalid': 'untrusted',
  /** The version must be kept until a date that has not come. */
  'publishing.retained': 'refused',
  /** Fewer years than compliance asks for. */
  'publishing.retention_too_short': 'usage',
  /** Nothing is published under this name. */
  'publishing.not_found': 'not-found',
  /** There is a document, and no signature to hold it against. */
  'publishing.signature_missing': 'nothing',
  /** A file is not what the index says, or the signature is not the document's. */
  'publishing.digest_mismatch': 'mismatch',
  /** The document is about another artifact or version than the name it was found under. */
  'publishing.document_mismatch': 'mismatch',
  /** What is fetched is not the file that was to be published. */
  'publishing.content_differs': 'mismatch',
  /** There is no `-latest`, and there has to be one. */
  'publishing.latest_missing': 'mismatch',
  /** `-latest` is a version that was published, and not the newest. */
  'publishing.latest_stale': 'mismatch',
  /** `-latest` is a version that the index does not list. */
  'publishing.latest_unlisted': 'mismatch',
  /** `-latest` says that it is a version whose published content is another. */
  'publishing.latest_differs': 'mismatch',
  /** A signature beside `-latest` is not its version's. */
  'publishing.latest_signature': 'mismatch',
  /** A file has more bytes than are read. */
  'publishing.too_large': 'refused',
  /** The target's address cannot be used. */
  'publishing.target_invalid': 'usage',
  /** A link, or what is no regular file or folder, stands in the way. */
  'publishing.link_refused': 'refused',
  /** The file system refuses. */
  'publishing.target_unusable': 'machine',
  /** Another publisher is at work, or stopped half-way a moment ago. */
  'publishing.target_busy': 'peer',
  /** Nobody answers, or with a fault of the server. */
  'publishing.target_unavailable': 'peer',
  /** The target wants another login, or none was given. */
  'publishing.target_unauthorized': 'unauthorized',
  /** A settings file of the target's tools cannot be read, or lacks what is named. */
  'publishing.settings_invalid': 'usage',
  /** The target does not take what is written. */
  'publishing.target_refused': 'refused',
} as const;

/** One of {@link PublishingError.codes}. */
export type PublishingErrorCode = keyof typeof KINDS;

/** An SBOM cannot be published, fetched or deleted. */
export const PublishingError = declareErrors(
  'PublishingError',
  KINDS,
  (details: { readonly expected?: string; readonly found?: string }) => details,
);
export type PublishingError = InstanceType<typeof PublishingError>;
