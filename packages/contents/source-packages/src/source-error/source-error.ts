import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** The text is no package URL. */
  'feeds.purl_invalid': 'usage',
  /** A package URL of a kind, or without a part, that no source can be fetched for. */
  'feeds.purl_unsupported': 'usage',
  /** Neither here nor at the registry. */
  'feeds.package_not_found': 'not-found',
  /** The bytes are not those that the registry, a lockfile or the package URL announces. */
  'feeds.package_integrity': 'untrusted',
  /** More bytes or files than the limit that the message names. */
  'feeds.package_too_large': 'refused',
  /** The archive is broken, or has names that only an attack has. */
  'feeds.archive_refused': 'refused',
  /** The folder cannot be read. */
  'feeds.folder_unreadable': 'usage',
  /** The registry does not answer, or fails. */
  'feeds.registry_unreachable': 'peer',
  /** The registry refuses the caller. */
  'feeds.registry_refused': 'unauthorized',
  /** What the registry answers is not what its protocol says. */
  'feeds.registry_answer_invalid': 'peer',
  /** A setting of the registry may be the judged project's. */
  'feeds.registry_unclear': 'untrusted',
  /** The reader's settings cannot be read, or name a variable that is not set. */
  'feeds.settings_unreadable': 'usage',
  /** The registry's address, or one that it sends us to, must not be used. */
  'feeds.address_refused': 'untrusted',
} as const;

/** What fetching and reading a source throw. No message, fact or cause holds a credential. */
export const SourceError = declareErrors('SourceError', KINDS, (facts: Facts) => ({ facts }));
export type SourceError = InstanceType<typeof SourceError>;

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
};
