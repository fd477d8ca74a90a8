/**
 * DER (X.690), the part that X.509 needs. Certificates are assembled and taken apart as bytes, because a signed
 * certificate timestamp covers the exact bytes of a certificate without one of its extensions (RFC 6962 §3.2): a
 * library that parses and serialises again may change them.
 */

/** One element: where it stands in the buffer that it was read from. */
export type DerElement = {
  readonly tag: number;
  /** The content, without tag and length. */
  readonly content: Uint8Array;
  /** Tag, length and content. */
  readonly bytes: Uint8Array;
};

/** Bytes that are not DER, or not the structure that was asked for. */
export class DerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DerError';
  }
}

export const DER_TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** Context-specific, constructed: `[n]` around something. */
export const contextTag = (n: number): number => 0xa0 | n;
/** Context-specific, primitive: `[n] IMPLICIT` in place of a string's own tag. */
export const contextPrimitiveTag = (n: number): number => 0x80 | n;

export function encodeDer(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const header = [tag, ...encodeLength(length)];
  const out = new Uint8Array(header.length + length);
  out.set(header);
  let at = header.length;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export const derSequence = (...parts: readonly Uint8Array[]): Uint8Array => encodeDer(DER_TAGS.sequence, ...parts);
export const derSet = (...parts: readonly Uint8Array[]): Uint8Array => encodeDer(DER_TAGS.set, ...parts);
export const derOctetString = (content: Uint8Array): Uint8Array => encodeDer(DER_TAGS.octetString, content);
export const derBoolean = (value: boolean): Uint8Array => encodeDer(DER_TAGS.boolean, Uint8Array.of(value ? 0xff : 0));
export const derNull = (): Uint8Array => encodeDer(DER_TAGS.null);
export const derUtf8 = (text: string): Uint8Array => encodeDer(DER_TAGS.utf8String, new TextEncoder().encode(text));

/** The bits of whole bytes, or with `unusedBits` at the end. */
export const derBitString = (content: Uint8Array, unusedBits = 0): Uint8Array =>
  encodeDer(DER_TAGS.bitString, Uint8Array.of(unusedBits), content);

/** A non-negative integer out of its big-endian bytes. */
export function derUnsigned(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const trimmed = bytes.subarray(start);
  const isHigh = (trimmed[0] ?? 0) >= 0x80;
  return encodeDer(
    DER_TAGS.integer,
    isHigh ? Uint8Array.of(0) : new Uint8Array(),
    trimmed.length ? trimmed : Uint8Array.of(0),
  );
}

/** `1.3.6.1…`; every arc below 2^31, as Go's parser demands. */
export function derOid(dotted: string): Uint8Array {
  const arcs = dotted.split('.').map(Number);
  const [first = -1, second = -1, ...rest] = arcs;
  const isFine =
    arcs.length >= 2 && first <= 2 && arcs.every((arc) => Number.isInteger(arc) && arc >= 0 && arc < 2 ** 31);
  if (!isFine || (first < 2 && second >= 40)) throw new TypeError(`not an object identifier: ${dotted}`);
  return encodeDer(DER_TAGS.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** UTCTime through 2049, GeneralizedTime after, as RFC 5280 §4.1.2.5 wants it; whole seconds. */
export function derTime(date: Date): Uint8Array {
  const digits = date
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  const year = date.getUTCFullYear();
  const isShort = year >= 1950 && year < 2050;
  return encodeDer(
    isShort ? DER_TAGS.utcTime : DER_TAGS.generalizedTime,
    new TextEncoder().encode(isShort ? digits.slice(2) : digits),
  );
}

/** The one element that fills `bytes`. @throws DerError */
export function readDer(bytes: Uint8Array, tag?: number): DerElement {
  const element = readElement(bytes, 0);
  if (element.bytes.length !== bytes.length) throw new DerError('bytes after the element');
  if (tag !== undefined && element.tag !== tag) throw new DerError(`tag ${element.tag} instead of ${tag}`);
  return element;
}

/** The elements inside a constructed one. @throws DerError */
export function derChildren(element: DerElement): DerElement[] {
  const children: DerElement[] = [];
  for (let at = 0; at < element.content.length; ) {
    const child = readElement(element.content, at);
    children.push(child);
    at += child.bytes.length;
  }
  return children;
}

/** The dotted form of an OBJECT IDENTIFIER. @throws DerError */
export function readOid(element: DerElement | undefined): string {
  if (element?.tag !== DER_TAGS.oid || element.content.length === 0) throw new DerError('not an object identifier');
  const arcs: number[] = [];
  let value = 0;
  for (const [i, byte] of element.content.entries()) {
    if (value === 0 && byte === 0x80) throw new DerError('an arc with a leading zero');
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER) throw new DerError('an arc that is too large');
    if (byte & 0x80) {
      if (i === element.content.length - 1) throw new DerError('an arc that is cut off');
      continue;
    }
    if (arcs.length === 0) {
      const first = Math.min(2, Math.floor(value / 40));
      arcs.push(first, value - first * 40);
    } else arcs.push(value);
    value = 0;
  }
  return arcs.join('.');
}

/** The bytes of a BIT STRING without unused bits. @throws DerError */
export function readBitString(element: DerElement | undefined): Uint8Array {
  if (element?.tag !== DER_TAGS.bitString || element.content[0] !== 0)
    throw new DerError('not a string of whole bytes');
  return element.content.subarray(1);
}

function readElement(bytes: Uint8Array, at: number): DerElement {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) throw new DerError('cut off');
  if ((tag & 0x1f) === 0x1f) throw new DerError('a tag of more than one byte');
  let length = first;
  let start = at + 2;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw new DerError('a length that DER does not allow');
    length = 0;
    for (let i = 0; i < count; i += 1) {
      const byte = bytes[start + i];
      if (byte === undefined) throw new DerError('cut off');
      length = length * 256 + byte;
    }
    if (length < 0x80 || (count > 1 && length < 256 ** (count - 1)))
      throw new DerError('a length that is not the shortest');
    start += count;
  }
  if (start + length > bytes.length) throw new DerError('cut off');
  return { tag, content: bytes.subarray(start, start + length), bytes: bytes.subarray(at, start + length) };
}

function encodeLength(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128));
  return bytes;
}
