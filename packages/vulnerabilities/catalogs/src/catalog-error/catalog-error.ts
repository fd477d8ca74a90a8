import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** The address of a catalog feed is none, or must not be used. */
  'feeds.catalog_address_refused': 'usage',
  /** The feed sends elsewhere. */
  'feeds.catalog_redirect_refused': 'untrusted',
  /** The feed does not answer, is too slow, or fails. */
  'feeds.catalog_unreachable': 'peer',
  /** The feed refuses the caller. */
  'feeds.catalog_refused': 'unauthorized',
  /** There is no feed at the address. */
  'feeds.catalog_not_found': 'not-found',
  /** The feed answers with a status that means no catalog. */
  'feeds.catalog_answer_invalid': 'peer',
  /** More bytes than a catalog may have. */
  'feeds.catalog_too_large': 'refused',
  /** The file of a feed cannot be read. */
  'feeds.catalog_file_unreadable': 'usage',
} as const;

/** One of {@link CatalogError.codes}. */
export type CatalogErrorCode = keyof typeof KINDS;

/** What fetching a catalog throws. No message, fact or cause holds a credential. */
export const CatalogError = declareErrors('CatalogError', KINDS, (facts: Facts) => ({ facts }));
export type CatalogError = InstanceType<typeof CatalogError>;

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
};
