import { DER_TAG } from './der-reader.ts';

/** Context-specific, constructed: `[n]` around something. */
export const contextTag = (n: number): number => 0xa0 | n;
/** Context-specific, primitive: `[n] IMPLICIT` in place of a string's own tag. */
export const contextPrimitiveTag = (n: number): number => 0x80 | n;

/** One element around parts that are put one after the other, its length as short as it can be. @see X.690 §10.1 */
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

export const derSequence = (...parts: readonly Uint8Array[]): Uint8Array => encodeDer(DER_TAG.sequence, ...parts);
export const derSet = (...parts: readonly Uint8Array[]): Uint8Array => encodeDer(DER_TAG.set, ...parts);
export const derOctetString = (content: Uint8Array): Uint8Array => encodeDer(DER_TAG.octetString, content);
export const derBoolean = (value: boolean): Uint8Array => encodeDer(DER_TAG.boolean, Uint8Array.of(value ? 0xff : 0));
export const derNull = (): Uint8Array => encodeDer(DER_TAG.null);
export const derUtf8 = (text: string): Uint8Array => encodeDer(DER_TAG.utf8String, new TextEncoder().encode(text));

/** The bits of whole bytes, or with `unusedBits` at the end. */
export const derBitString = (content: Uint8Array, unusedBits = 0): Uint8Array =>
  encodeDer(DER_TAG.bitString, Uint8Array.of(unusedBits), content);

/** A non-negative integer out of its big-endian bytes. */
export function derUnsigned(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const trimmed = bytes.subarray(start);
  const isHigh = (trimmed[0] ?? 0) >= 0x80;
  return encodeDer(
    DER_TAG.integer,
    isHigh ? Uint8Array.of(0) : new Uint8Array(),
    trimmed.length ? trimmed : Uint8Array.of(0),
  );
}

/** A non-negative integer in as few bytes as it needs. */
export function derInteger(value: bigint): Uint8Array {
  const hex = value.toString(16);
  const digits = (hex.length % 2 ? `0${hex}` : hex).match(/../g) ?? [];
  return derUnsigned(Uint8Array.from(digits, (pair) => Number.parseInt(pair, 16)));
}

/** `1.3.6.1…`; every arc below 2^31, as Go's parser demands. */
export function derOid(dotted: string): Uint8Array {
  const arcs = dotted.split('.').map(Number);
  const [first = -1, second = -1, ...rest] = arcs;
  const isFine =
    arcs.length >= 2 && first <= 2 && arcs.every((arc) => Number.isInteger(arc) && arc >= 0 && arc < 2 ** 31);
  if (!isFine || (first < 2 && second >= 40)) throw new TypeError(`not an object identifier: ${dotted}`);
  return encodeDer(DER_TAG.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
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
    isShort ? DER_TAG.utcTime : DER_TAG.generalizedTime,
    new TextEncoder().encode(isShort ? digits.slice(2) : digits),
  );
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
