/**
 * DER (X.690), the part that X.509, CMS and time-stamps need. Everything is read as bytes of the original: a signed
 * certificate timestamp covers the exact bytes of a certificate without one of its extensions (RFC 6962 §3.2), and a
 * library that parses and serialises again may change them. Nothing recurses, so depth costs nothing.
 */

/** One element of DER: its tag byte, its content, and the whole of its bytes. */
export type DerElement = {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly bytes: Uint8Array;
};

export const DER_TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Not DER, or not the DER that was expected. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

/**
 * Reads exactly one element: no byte may follow, lengths are definite and as short as they can be.
 * @throws DerError
 * @see X.690 §10.1
 */
export function readDer(bytes: Uint8Array, tag?: number): DerElement {
  const { element, end } = readElement(bytes, 0);
  if (end !== bytes.length) throw new DerError('bytes follow the element');
  if (tag !== undefined && element.tag !== tag) throw new DerError(`tag ${element.tag} stands where ${tag} should`);
  return element;
}

/** Reads the elements that fill `content` from end to end. @throws DerError */
export function readDerElements(content: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  for (let offset = 0; offset < content.length; ) {
    const { element, end } = readElement(content, offset);
    elements.push(element);
    offset = end;
  }
  return elements;
}

/** The elements of a constructed one (SEQUENCE by default). @throws DerError */
export function readDerSequence(bytes: Uint8Array, tag: number = DER_TAG.sequence): DerElement[] {
  return readDerElements(readDer(bytes, tag).content);
}

/** Writes an object identifier as dotted numbers. @throws DerError */
export function readOid(element: DerElement | undefined): string {
  if (element?.tag !== DER_TAG.oid) throw new DerError('no object identifier');
  const arcs: number[] = [];
  let arc = 0;
  let isOpen = false;
  for (const byte of element.content) {
    if (!isOpen && byte === 0x80) throw new DerError('an arc is longer than it needs to be');
    arc = arc * 128 + (byte & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER) throw new DerError('an arc is too large');
    isOpen = byte >= 0x80;
    if (isOpen) continue;
    arcs.push(arc);
    arc = 0;
  }
  const first = arcs.shift();
  if (isOpen || first === undefined) throw new DerError('an object identifier ends too early');
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - 40 * root, ...arcs].join('.');
}

/** The bytes of a BIT STRING without unused bits. @throws DerError */
export function readBitString(element: DerElement | undefined): Uint8Array {
  if (element?.tag !== DER_TAG.bitString || element.content[0] !== 0) throw new DerError('not a string of whole bytes');
  return element.content.subarray(1);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a DER UTF8String that is all of `bytes`. @throws DerError */
export function readUtf8String(bytes: Uint8Array): string {
  return readUtf8(readDer(bytes, DER_TAG.utf8String).content);
}

/** UTF-8 and nothing else. @throws DerError */
export function readUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new DerError('not UTF-8');
  }
}

/** Reads UTCTime or GeneralizedTime in the only forms that certificates may use. @throws DerError @see RFC 5280 §4.1.2.5 */
export function readDerTime(element: DerElement): Date {
  const text = readUtf8(element.content);
  const isUtc = element.tag === DER_TAG.utcTime;
  if (!isUtc && element.tag !== DER_TAG.generalizedTime) throw new DerError('no time');
  const fields = (
    isUtc ? /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/ : /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/
  ).exec(text);
  if (fields === null) throw new DerError('a time is not in the form of RFC 5280');
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields.slice(1).map(Number);
  const fullYear = isUtc ? year + (year < 50 ? 2000 : 1900) : year;
  const date = new Date(Date.UTC(fullYear, month - 1, day, hour, minute, second));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || date.getUTCHours() !== hour) {
    throw new DerError('a time that does not exist');
  }
  return date;
}

function readElement(bytes: Uint8Array, start: number): { element: DerElement; end: number } {
  const tag = bytes[start];
  const firstLength = bytes[start + 1];
  if (tag === undefined || firstLength === undefined) throw new DerError('an element ends too early');
  if ((tag & 0x1f) === 0x1f) throw new DerError('a tag of several bytes');
  let offset = start + 2;
  let length = firstLength;
  if (firstLength >= 0x80) {
    const count = firstLength & 0x7f;
    if (count === 0 || count > 4) throw new DerError('a length that DER does not allow');
    length = 0;
    for (let index = 0; index < count; index++) length = length * 256 + (bytes[offset + index] ?? Number.NaN);
    offset += count;
    if (!(length >= (count === 1 ? 0x80 : 256 ** (count - 1)))) throw new DerError('a length that DER does not allow');
  }
  const end = offset + length;
  if (end > bytes.length) throw new DerError('an element ends too early');
  return { element: { tag, content: bytes.subarray(offset, end), bytes: bytes.subarray(start, end) }, end };
}
