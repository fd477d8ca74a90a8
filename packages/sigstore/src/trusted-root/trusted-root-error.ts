export const TRUSTED_ROOT_ERROR_CODES = [
  'trusted_root.malformed',
  'trusted_root.unsupported_media_type',
  'trusted_root.empty',
] as const;
export type TrustedRootErrorCode = (typeof TRUSTED_ROOT_ERROR_CODES)[number];

/** The trust material itself cannot be used. */
export class TrustedRootError extends Error {
  override readonly name = 'TrustedRootError';
  readonly code: TrustedRootErrorCode;

  constructor(code: TrustedRootErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
