import { declareErrors } from '@colophon/fault';

/** What was asked, and the status of the answer where there was one. */
type Answer = { readonly url?: string | URL; readonly status?: number | undefined };

const KINDS = {
  'registry.reference_invalid': 'usage',
  'registry.unreachable': 'peer',
  'registry.timeout': 'peer',
  'registry.unavailable': 'peer',
  'registry.unauthorized': 'unauthorized',
  'registry.denied': 'unauthorized',
  'registry.not_found': 'not-found',
  'registry.refused': 'peer',
  'registry.answer_invalid': 'peer',
  'registry.digest_mismatch': 'untrusted',
  'registry.too_large': 'peer',
  'registry.redirect_refused': 'peer',
  'registry.token_endpoint_refused': 'peer',
  'registry.conflict': 'peer',
  'registry.tag_immutable': 'peer',
} as const;

/** One of {@link RegistryError.codes}. */
export type RegistryErrorCode = keyof typeof KINDS;

/** A registry did not do what was asked, or answered what must not be relied on. Never contains a credential. */
export const RegistryError = declareErrors('RegistryError', KINDS, ({ url, status }: Answer) => ({
  url: url === undefined ? undefined : withoutQuery(new URL(url)),
  status,
}));
export type RegistryError = InstanceType<typeof RegistryError>;

/** Origin and path of a URL: what may be shown to a person. */
export function withoutQuery(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
