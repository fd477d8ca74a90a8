export const TRUSTED_ROOT_ERROR_CODES = [
  'trusted_root.malformed',
  'trusted_root.unsupported_media_type',
  'trusted_root.empty',
] as const;
export type TrustedRootErrorCode = (typeof TRUSTED_ROOT_ERROR_CODES)[number];

export type TrustedRootErrorDetails = {
  /** JSON Pointer of the value that is to blame. */
  readonly path?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly cause?: unknown;
};

/** The trust material itself cannot be used. */
export class TrustedRootError extends Error {
  override readonly name = 'TrustedRootError';
  readonly code: TrustedRootErrorCode;
  readonly path: string | undefined;
  readonly expected: string | undefined;
  readonly found: string | undefined;

  constructor(code: TrustedRootErrorCode, message: string, details: TrustedRootErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.path = details.path;
    this.expected = details.expected;
    this.found = details.found;
  }
}
