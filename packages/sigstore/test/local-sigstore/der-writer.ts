import { element } from '../../src/certificate/der-writer.ts';

export { boolean, element, integer, nothing, octets, oid, sequence } from '../../src/certificate/der-writer.ts';

export const set = (...items: Uint8Array[]) => element(0x31, ...items);
export const utf8 = (text: string) => element(0x0c, Buffer.from(text));
export const bits = (bytes: Uint8Array, unused = 0) => element(0x03, Buffer.of(unused), bytes);

/** `20260102030405Z`, GeneralizedTime. */
export function generalizedTime(date: Date): Buffer {
  return element(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
}

export function utcTime(date: Date): Buffer {
  return element(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}
