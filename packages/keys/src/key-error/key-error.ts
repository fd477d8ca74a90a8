/** Every code of {@link KeyError}. */
export const KEY_ERROR_CODES = [
  /** Others than the owner may read or write the file: the key may be known. */
  'key.exposed',
  /** The file holds a key of another algorithm than the one asked for. */
  'key.wrong_algorithm',
  /** No key that this program signs with: RSA below 2048 bits, another curve, another type. */
  'key.unsupported',
  /** The file holds no unencrypted private key in PEM. */
  'key.malformed',
  /** The file cannot be read or made. */
  'key.unavailable',
] as const;

/** One of {@link KEY_ERROR_CODES}. */
export type KeyErrorCode = (typeof KEY_ERROR_CODES)[number];

/** What every operation of this package throws. No message or cause holds anything of a private key. */
export class KeyError extends Error {
  readonly code: KeyErrorCode;

  constructor(code: KeyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KeyError';
    this.code = code;
  }
}
