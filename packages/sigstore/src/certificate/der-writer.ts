/** Writes one element of DER around content that is shorter than 16 MiB. @see X.690 §10.1 */
export function element(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const length = body.length;
  const head =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : length < 0x10000
          ? [0x82, length >> 8, length & 0xff]
          : [0x83, length >> 16, (length >> 8) & 0xff, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...head), body]);
}

/** A SEQUENCE of elements that are DER already. */
export const sequence = (...items: Uint8Array[]): Buffer => element(0x30, ...items);
/** An OCTET STRING. */
export const octets = (bytes: Uint8Array): Buffer => element(0x04, bytes);
/** A BOOLEAN. */
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.of(value ? 0xff : 0));
/** NULL. */
export const nothing = (): Buffer => element(0x05);

/** An INTEGER that is not negative, in as few bytes as it needs. */
export function integer(value: bigint | number): Buffer {
  const hex = BigInt(value).toString(16);
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
  return element(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

/** An OBJECT IDENTIFIER, from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    const digits = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return element(0x06, Buffer.from(bytes));
}
