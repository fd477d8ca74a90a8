/** Writes one element of DER. */
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

export const sequence = (...items: Uint8Array[]) => element(0x30, ...items);
export const set = (...items: Uint8Array[]) => element(0x31, ...items);
export const octets = (bytes: Uint8Array) => element(0x04, bytes);
export const utf8 = (text: string) => element(0x0c, Buffer.from(text));
export const bits = (bytes: Uint8Array, unused = 0) => element(0x03, Buffer.of(unused), bytes);
export const boolean = (value: boolean) => element(0x01, Buffer.of(value ? 0xff : 0));
export const nothing = () => element(0x05);

export function integer(value: bigint | number): Buffer {
  const hex = BigInt(value).toString(16);
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
  return element(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

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

/** `20260102030405Z`, GeneralizedTime. */
export function generalizedTime(date: Date): Buffer {
  return element(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
}

export function utcTime(date: Date): Buffer {
  return element(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}
