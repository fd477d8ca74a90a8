/** Every way in which an image registry can fail us. */
export const REGISTRY_ERROR_CODES = [
  'registry.reference_invalid',
  'registry.unreachable',
  'registry.timeout',
  'registry.unavailable',
  'registry.unauthorized',
  'registry.denied',
  'registry.not_found',
  'registry.refused',
  'registry.answer_invalid',
  'registry.digest_mismatch',
  'registry.too_large',
  'registry.redirect_refused',
  'registry.token_endpoint_refused',
  'registry.conflict',
] as const;
export type RegistryErrorCode = (typeof REGISTRY_ERROR_CODES)[number];

/** A registry did not do what was asked, or answered what must not be relied on. Never contains a credential. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly code: RegistryErrorCode;
  /** What was asked, without query: a query can hold a signature or a token. */
  readonly url: string | undefined;
  readonly status: number | undefined;

  constructor(
    code: RegistryErrorCode,
    message: string,
    { url, status, cause }: { url?: string | URL; status?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.url = url === undefined ? undefined : withoutQuery(new URL(url));
    this.status = status;
  }
}

/** Origin and path of a URL: what may be shown to a person. */
export function withoutQuery(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
