import { createHash } from 'node:crypto';
import {
  contextPrimitiveTag,
  contextTag,
  derBitString,
  derBoolean,
  derOctetString,
  derOid,
  derSequence,
  derSet,
  derTime,
  derUnsigned,
  derUtf8,
  encodeDer,
  readBitString,
  readDerSequence,
} from '@colophon/encoding';
import { FULCIO_ARC } from '@colophon/records';

/** AlgorithmIdentifier of ECDSA with SHA-256: what every key of the embedded authority signs with (RFC 5758 §3.2). */
export const ECDSA_WITH_SHA256 = derSequence(derOid('1.2.840.10045.4.3.2'));

/** Says in every certificate of the embedded authority what it is. */
export const LOCAL_ORGANIZATION = 'Colophon local authority';

/** CT poison: marks a precertificate (RFC 6962 §3.1). */
export const CT_POISON = '1.3.6.1.4.1.11129.2.4.3';
/** List of signed certificate timestamps inside a certificate (RFC 6962 §3.3). */
export const CT_TIMESTAMPS = '1.3.6.1.4.1.11129.2.4.2';

/** Everything of a certificate but its signature. */
export type TbsCertificate = {
  /** 1 to 20 bytes, positive. */
  readonly serial: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly spki: Uint8Array;
  /** Extensions, DER, in their order. */
  readonly extensions: readonly Uint8Array[];
};

/** RFC 5280 §4.1.2. */
export function encodeTbs(tbs: TbsCertificate): Uint8Array {
  return derSequence(
    encodeDer(contextTag(0), derUnsigned(Uint8Array.of(2))),
    derUnsigned(tbs.serial),
    ECDSA_WITH_SHA256,
    tbs.issuer,
    derSequence(derTime(tbs.notBefore), derTime(tbs.notAfter)),
    tbs.subject,
    tbs.spki,
    encodeDer(contextTag(3), derSequence(...tbs.extensions)),
  );
}

/** The certificate around a TBSCertificate and its signature. */
export function encodeCertificate(tbs: Uint8Array, signature: Uint8Array): Uint8Array {
  return derSequence(tbs, ECDSA_WITH_SHA256, derBitString(signature));
}

/** `O=…, CN=…`. */
export function localName(commonName: string): Uint8Array {
  const attribute = (oid: string, value: string) => derSet(derSequence(derOid(oid), derUtf8(value)));
  return derSequence(attribute('2.5.4.10', LOCAL_ORGANIZATION), attribute('2.5.4.3', commonName));
}

/** A name without any part: the identity stands in the subject alternative name alone. */
export const EMPTY_NAME = derSequence();

export function extension(oid: string, value: Uint8Array, { critical = false } = {}): Uint8Array {
  return derSequence(derOid(oid), ...(critical ? [derBoolean(true)] : []), derOctetString(value));
}

/** One of Fulcio's extensions or of ours; Fulcio's first six are bare bytes, everything later is a UTF8String. */
export function textExtension(oid: string, text: string): Uint8Array {
  const number = oid.startsWith(`${FULCIO_ARC}.`) ? Number(oid.slice(FULCIO_ARC.length + 1)) : Number.POSITIVE_INFINITY;
  return extension(oid, number <= 6 ? new TextEncoder().encode(text) : derUtf8(text));
}

/** The only use of a signing certificate. */
export const SIGNING_KEY_USAGE = extension('2.5.29.15', derBitString(Uint8Array.of(0x80), 7), { critical: true });
/** keyCertSign and cRLSign. */
export const CA_KEY_USAGE = extension('2.5.29.15', derBitString(Uint8Array.of(0x06), 1), { critical: true });
export const CODE_SIGNING = extension('2.5.29.37', derSequence(derOid('1.3.6.1.5.5.7.3.3')));

export function caConstraint(pathLength: number): Uint8Array {
  const value = derSequence(derBoolean(true), derUnsigned(Uint8Array.of(pathLength)));
  return extension('2.5.29.19', value, { critical: true });
}

/** SHA-1 of the key's bits (RFC 5280 §4.2.1.2, method 1): a name for the key, no security rests on it. */
export function keyIdentifier(spki: Uint8Array): Uint8Array {
  const bits = readBitString(readDerSequence(spki)[1]);
  return new Uint8Array(createHash('sha1').update(bits).digest());
}

export function subjectKeyIdentifier(spki: Uint8Array): Uint8Array {
  return extension('2.5.29.14', derOctetString(keyIdentifier(spki)));
}

export function authorityKeyIdentifier(issuerSpki: Uint8Array): Uint8Array {
  return extension('2.5.29.35', derSequence(encodeDer(contextPrimitiveTag(0), keyIdentifier(issuerSpki))));
}

/** Context tags of GeneralName (RFC 5280 §4.2.1.6). */
const NAME_TAGS = { email: 1, uri: 6 } as const;

/** As {@link alternativeName}, of a URI. */
export const uriAlternativeName = (uri: string): Uint8Array => alternativeName('uri', uri);

/** Critical, because the subject is empty (RFC 5280 §4.2.1.6). @throws TypeError for anything but ASCII */
export function alternativeName(kind: keyof typeof NAME_TAGS, text: string): Uint8Array {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new TypeError('a name is printable ASCII');
  const name = encodeDer(contextPrimitiveTag(NAME_TAGS[kind]), new TextEncoder().encode(text));
  return extension('2.5.29.17', derSequence(name), { critical: true });
}
