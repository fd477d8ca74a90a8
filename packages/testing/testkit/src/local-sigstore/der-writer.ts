import { derBoolean, derInteger, derNull, derOctetString, derOid, derSequence, encodeDer } from '@colophon/encoding';

export const element = (tag: number, ...content: Uint8Array[]): Buffer => Buffer.from(encodeDer(tag, ...content));
export const sequence = (...items: Uint8Array[]): Buffer => Buffer.from(derSequence(...items));
export const octets = (bytes: Uint8Array): Buffer => Buffer.from(derOctetString(bytes));
export const boolean = (value: boolean): Buffer => Buffer.from(derBoolean(value));
export const nothing = (): Buffer => Buffer.from(derNull());
export const integer = (value: bigint | number): Buffer => Buffer.from(derInteger(BigInt(value)));
export const oid = (dotted: string): Buffer => Buffer.from(derOid(dotted));
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
