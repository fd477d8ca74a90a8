import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** The file holds no OpenPGP key, more of them than are read, or a private key of several. */
  'openpgp.key_unreadable': 'usage',
  /** A public key was given to sign with, or the secret part is on a card. */
  'openpgp.key_not_private': 'usage',
  /** The private key is protected, and no passphrase was given. */
  'openpgp.passphrase_missing': 'usage',
  /** The passphrase does not open the private key. */
  'openpgp.passphrase_wrong': 'usage',
  /** The key has expired. */
  'openpgp.key_expired': 'untrusted',
  /** Its owner has revoked the key. */
  'openpgp.key_revoked': 'untrusted',
  /** The key may not sign, is too weak, or says of itself what does not verify. */
  'openpgp.key_unusable': 'untrusted',
  /** A version of OpenPGP, an algorithm, a curve or a hash that is not computed here; its name is given. */
  'openpgp.algorithm_unsupported': 'untrusted',
  /** The bytes are no OpenPGP signature. */
  'openpgp.signature_unreadable': 'untrusted',
  /** A signed message that carries its own text, and no signature that is apart from its document. */
  'openpgp.not_detached': 'mismatch',
  /** A signature over something else than the document's very bytes: its text, a key, nothing at all. */
  'openpgp.signature_kind': 'untrusted',
  /** None of the signatures is by a key that was given. */
  'openpgp.other_key': 'mismatch',
  /** The signature is not over this document. */
  'openpgp.signature_mismatch': 'mismatch',
  /** The signature was made for a limited time, which is over. */
  'openpgp.signature_expired': 'untrusted',
  /** The signature says that it was made later than now. */
  'openpgp.signature_in_future': 'untrusted',
  /** A hash that can be forged, such as SHA-1. */
  'openpgp.weak_hash': 'untrusted',
} as const;

/** One of {@link OpenPgpError.codes}. */
export type OpenPgpErrorCode = keyof typeof KINDS;

/** What every operation of this package throws. No message, fact or cause holds a passphrase or a part of a key. */
export const OpenPgpError = declareErrors('OpenPgpError', KINDS, (facts: Facts) => ({ facts }));
export type OpenPgpError = InstanceType<typeof OpenPgpError>;

/** What a person needs to see beside the code. */
type Facts = {
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
  /** Why each signature does not count, where there are several. */
  readonly issues?: ReadonlyArray<{ readonly code: OpenPgpErrorCode; readonly message: string }>;
};
