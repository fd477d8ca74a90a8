import { createHash } from 'node:crypto';
import {
  certificateExtension,
  contextPrimitiveTag,
  derOctetString,
  derOid,
  derSequence,
  derSet,
  derUtf8,
  encodeDer,
  keyUsage,
  readBitString,
  readDerSequence,
} from '@colophon/encoding';
import { FULCIO_ARC, LOCAL_ORGANIZATION } from '@colophon/records';

/** CT poison: marks a precertificate (RFC 6962 §3.1). */
export const CT_POISON = '1.3.6.1.4.1.11129.2.4.3';
/** List of signed certificate timestamps inside a certificate (RFC 6962 §3.3). */
export const CT_TIMESTAMPS = '1.3.6.1.4.1.11129.2.4.2';

/** `O=…, CN=…`. */
export function localName(commonName: string): Uint8Array {
  const attribute = (oid: string, value: string) => derSet(derSequence(derOid(oid), derUtf8(value)));
  return derSequence(attribute('2.5.4.10', LOCAL_ORGANIZATION), attribute('2.5.4.3', commonName));
}

/** A name without any part: the identity stands in the subject alternative name alone. */
export const EMPTY_NAME = derSequence();

/** One of Fulcio's extensions or of ours; Fulcio's first six are bare bytes, everything later is a UTF8String. */
export function textExtension(oid: string, text: string): Uint8Array {
  const number = oid.startsWith(`${FULCIO_ARC}.`) ? Number(oid.slice(FULCIO_ARC.length + 1)) : Number.POSITIVE_INFINITY;
  return certificateExtension(oid, number <= 6 ? new TextEncoder().encode(text) : derUtf8(text));
}

/** The only use of a signing certificate. */
export const SIGNING_KEY_USAGE = keyUsage('digitalSignature');
export const CA_KEY_USAGE = keyUsage('keyCertSign', 'cRLSign');
export const CODE_SIGNING = certificateExtension('2.5.29.37', derSequence(derOid('1.3.6.1.5.5.7.3.3')));

/** SHA-1 of the key's bits (RFC 5280 §4.2.1.2, method 1): a name for the key, no security rests on it. */
export function keyIdentifier(spki: Uint8Array): Uint8Array {
  const bits = readBitString(readDerSequence(spki)[1]);
  return new Uint8Array(createHash('sha1').update(bits).digest());
}

export function subjectKeyIdentifier(spki: Uint8Array): Uint8Array {
  return certificateExtension('2.5.29.14', derOctetString(keyIdentifier(spki)));
}

export function authorityKeyIdentifier(issuerSpki: Uint8Array): Uint8Array {
  return certificateExtension('2.5.29.35', derSequence(encodeDer(contextPrimitiveTag(0), keyIdentifier(issuerSpki))));
}

/** Context tags of GeneralName (RFC 5280 §4.2.1.6). */
const NAME_TAGS = { email: 1, uri: 6 } as const;

/** As {@link alternativeName}, of a URI. */
export const uriAlternativeName = (uri: string): Uint8Array => alternativeName('uri', uri);

/** Critical, because the subject is empty (RFC 5280 §4.2.1.6). @throws TypeError for anything but ASCII */
export function alternativeName(kind: keyof typeof NAME_TAGS, text: string): Uint8Array {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new TypeError('a name is printable ASCII');
  const name = encodeDer(contextPrimitiveTag(NAME_TAGS[kind]), new TextEncoder().encode(text));
  return certificateExtension('2.5.29.17', derSequence(name), { critical: true });
}
