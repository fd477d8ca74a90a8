import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** Others than the owner may read or write the file: the key may be known. */
  'key.exposed': 'machine',
  /** The file holds a key of another algorithm than the one asked for. */
  'key.wrong_algorithm': 'machine',
  /** No key that this program signs with: RSA below 2048 bits, another curve, another type. */
  'key.unsupported': 'machine',
  /** The file holds no unencrypted private key in PEM. */
  'key.malformed': 'machine',
  /** The file cannot be read or made. */
  'key.unavailable': 'machine',
} as const;

/** What every operation of this package throws. No message or cause holds anything of a private key. */
export const KeyError = declareErrors('KeyError', KINDS);
export type KeyError = InstanceType<typeof KeyError>;
