import type { Key, SignaturePacket } from 'openpgp';
import { signerAlgorithmFault } from '../algorithm/key-algorithm.ts';
import { nameOfSignature } from '../algorithm/packet-head.ts';
import { certifiedUserIds, fingerprintOf, readPublicKeys, whyUnusable } from '../key/public-keys.ts';
import { OpenPgpError, type OpenPgpErrorCode } from '../openpgp-error/openpgp-error.ts';
import { readDetachedSignature } from '../signature/detached-signature.ts';

/** What stands in a signature in place of the id of its key, where it is to name none. */
const NO_KEY_ID = '0000000000000000';

/** Clocks of honest machines differ by no more. */
const CLOCK_SKEW_MS = 30_000;

/** Whose signatures count, and when. */
export type VerifyDetachedOptions = {
  /** Files with one key or a keyring each, armored or binary. */
  readonly publicKeys: ReadonlyArray<string | Uint8Array>;
  /** The time of verification: a key has to be good at the time of its signature and now. */
  readonly at: Date;
};

/** One signature that verified. */
export type OpenPgpSignature = {
  /** Of the key that a person knows, hex in capitals. */
  readonly fingerprint: string;
  /** Of the subkey that signed, where it is another. */
  readonly signingFingerprint?: string;
  /** The names that the key's owner certified, the main one first. */
  readonly userIds: readonly string[];
  /** RFC 3339 in UTC; what the signer says. */
  readonly signedAt: string;
  readonly hash: string;
};

/** A signature that does not count, and why. */
export type RejectedSignature = {
  /** The last eight bytes of the fingerprint, as the signature names it. */
  readonly keyId: string;
  readonly code: OpenPgpErrorCode;
  readonly message: string;
};

/** The first signature that verified, with all others. */
export type VerifiedDetached = OpenPgpSignature & {
  /** Every signature that verified, this one first. */
  readonly signatures: readonly OpenPgpSignature[];
  readonly rejected: readonly RejectedSignature[];
};

/**
 * Verifies detached signatures over the very bytes of a document (contract §2.6). At least one has to be by a key that
 * was given; one by a given key that does not hold refuses all, because then the document was changed.
 * @throws OpenPgpError, whose code is that of the most telling signature
 */
export async function verifyDetached(
  document: Uint8Array,
  signature: string | Uint8Array,
  { publicKeys, at }: VerifyDetachedOptions,
): Promise<VerifiedDetached> {
  const keys: Key[] = [];
  for (const file of publicKeys) keys.push(...(await readPublicKeys(file)));
  const signatures: OpenPgpSignature[] = [];
  const rejected: Array<RejectedSignature & { readonly error: OpenPgpError }> = [];
  for (const packet of await readDetachedSignature(signature)) {
    try {
      signatures.push(await verifyOne(document, packet, keys, at));
    } catch (error) {
      if (!(error instanceof OpenPgpError)) throw error;
      const { code, message } = error;
      rejected.push({ keyId: keyIdOf(packet), code, message, error });
    }
  }
  const [first] = signatures;
  const mismatch = rejected.find(({ code }) => code === 'openpgp.signature_mismatch');
  if (first === undefined || mismatch !== undefined) {
    const telling = mismatch ?? rejected.find(({ code }) => code !== 'openpgp.other_key') ?? rejected[0];
    const error = telling?.error as OpenPgpError;
    if (rejected.length < 2) throw error;
    const issues = rejected.map(({ keyId, code, message }) => ({ code, message: `${keyId}: ${message}` }));
    throw new OpenPgpError(error.code, error.message, { ...error.facts, issues, cause: error });
  }
  return {
    ...first,
    signatures,
    rejected: rejected.map(({ keyId, code, message }) => ({ keyId, code, message })),
  };
}

function keyIdOf({ issuerKeyID }: Partial<SignaturePacket>): string {
  return (issuerKeyID?.toHex() ?? NO_KEY_ID).toUpperCase();
}

/** Holds one signature against the keys that it may be by. */
async function verifyOne(
  document: Uint8Array,
  packet: SignaturePacket,
  keys: readonly Key[],
  at: Date,
): Promise<OpenPgpSignature> {
  const { enums, SignaturePacket: Readable } = await import('openpgp');
  // Of what it does not know the library keeps the bytes.
  if (!(packet instanceof Readable)) {
    const found = nameOfSignature((packet as { write(): Uint8Array }).write());
    throw new OpenPgpError('openpgp.algorithm_unsupported', `${found} is not read here`, { found });
  }
  // The library would verify a signature over nothing, which fits every document, and one over the text, which fits
  // documents with other line ends.
  if (packet.signatureType !== enums.signature.binary) {
    throw new OpenPgpError('openpgp.signature_kind', "the signature is not over the document's bytes", {
      expected: 'a binary signature, as `gpg --detach-sign` makes it without --textmode',
    });
  }
  // One that names no key would be verified with every key of a ring, and the document hashed as often.
  const isNamed = packet.issuerKeyID.toHex() !== NO_KEY_ID;
  const candidates = keys.filter((key) => isNamed && key.getKeys(packet.issuerKeyID).length > 0);
  if (candidates.length === 0) {
    throw new OpenPgpError('openpgp.other_key', 'the signature is by none of the keys given', {
      expected: keys.map(fingerprintOf).slice(0, 8).join(', ') || 'a public key',
      found: keyIdOf(packet),
    });
  }
  let failure: unknown;
  // Two keys may share the eight bytes by which a signature names its key.
  for (const key of candidates) {
    try {
      return await verifyByKey(document, packet, key, at);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

async function verifyByKey(
  document: Uint8Array,
  packet: SignaturePacket,
  key: Key,
  at: Date,
): Promise<OpenPgpSignature> {
  const fault = signerAlgorithmFault(key, packet.issuerKeyID);
  if (fault !== undefined) throw fault;
  const { createMessage, enums, Signature, PacketList, verify } = await import('openpgp');
  const packets = new PacketList<SignaturePacket>();
  packets.push(packet);
  const message = await createMessage({ binary: document });
  const { signatures } = await verify({
    message,
    signature: new Signature(packets),
    verificationKeys: key,
    format: 'binary',
    date: new Date(at.getTime() + CLOCK_SKEW_MS),
  });
  // `verify` itself succeeds whatever the signature is worth.
  await signatures[0]!.verified.catch(async (cause: Error) => {
    throw await whyRefused(key, packet, at, cause);
  });
  // The holder of a key that has expired or was revoked can also write an older date into a signature.
  const signing = await key.getSigningKey(packet.issuerKeyID, at).catch(async (cause) => {
    throw await whyUnusable(key, at, cause);
  });
  const fingerprint = fingerprintOf(key);
  const signingFingerprint = fingerprintOf(signing);
  return {
    fingerprint,
    ...(signingFingerprint === fingerprint ? {} : { signingFingerprint }),
    userIds: await certifiedUserIds(key, at),
    signedAt: (packet.created as Date).toISOString().replace('.000Z', 'Z'),
    hash: enums.read(enums.hash, packet.hashAlgorithm as number),
  };
}

async function whyRefused(key: Key, packet: SignaturePacket, at: Date, cause: Error): Promise<OpenPgpError> {
  const facts = { found: keyIdOf(packet) };
  const { message } = cause;
  if (/digest did not match|verification failed/i.test(message)) {
    return new OpenPgpError('openpgp.signature_mismatch', 'the signature is not over this document', {
      ...facts,
      cause,
    });
  }
  if (/unsupported hash|invalid enum value/i.test(message)) {
    const found = `hash ${packet.hashAlgorithm}`;
    return new OpenPgpError('openpgp.algorithm_unsupported', `the ${found} is not computed here`, { found, cause });
  }
  if (/insecure.*hash|hash algorithm too weak/i.test(message)) {
    return new OpenPgpError('openpgp.weak_hash', 'the signature rests on a hash that can be forged', {
      ...facts,
      cause,
    });
  }
  if (/in the future/i.test(message)) {
    return new OpenPgpError('openpgp.signature_in_future', 'the signature is dated later than now', {
      ...facts,
      cause,
    });
  }
  if (/signature is expired/i.test(message)) {
    return new OpenPgpError('openpgp.signature_expired', 'the time of the signature is over', { ...facts, cause });
  }
  return whyUnusable(key, at, cause);
}
