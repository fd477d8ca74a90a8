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
  /** The state file of a key ring is unusable, or a file holds another key than it says. */
  'key.ring_invalid': 'machine',
  /** Another process is changing the ring, and takes too long. */
  'key.ring_busy': 'machine',
  /** The keys belong to another user, who could not read a new one. */
  'key.foreign_owner': 'machine',
  /** A next key is published already, and does not sign yet. */
  'key.rotation_under_way': 'refused',
  /** The ring has no key of this kid. */
  'key.unknown': 'not-found',
} as const;

/** What every operation of this package throws. No message or cause holds anything of a private key. */
export const KeyError = declareErrors('KeyError', KINDS);
export type KeyError = InstanceType<typeof KeyError>;
