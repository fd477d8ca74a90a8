import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { encodeBase62, randomBase62 } from './base62.ts';

/** Bytes of a key's secret. */
const SECRET_BYTES = 32;

const ID_LENGTH = 12;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const API_KEY = /^colophon_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** Of 2^256 - 1: digits of one width sort as their values do. */
const LARGEST_SECRET = encodeBase62(2n ** 256n - 1n, SECRET_LENGTH);

/** An API key by its parts that may be stored. */
export type ApiKey = {
  /** 12 letters and digits, public. */
  readonly id: string;
  /** SHA-256 of the whole key, 32 bytes. */
  readonly secretHash: Uint8Array;
};

/** The parts of a key, or why a text is none: its form, or a checksum that shows it mistyped or cut. */
export type ApiKeyResult =
  | ({ readonly ok: true } & ApiKey)
  | { readonly ok: false; readonly reason: 'malformed' | 'checksum' };

/**
 * A new key. `bytes` gives fresh unpredictable bytes. Its id has a capital letter, so that it is never a caller's name.
 */
export function createApiKey(bytes: (length: number) => Uint8Array): ApiKey & { readonly text: string } {
  let id: string;
  do id = randomBase62(ID_LENGTH, bytes);
  while (!/[A-Z]/.test(id));
  const secret = encodeBase62(BigInt(`0x${Buffer.from(bytes(SECRET_BYTES)).toString('hex')}`), SECRET_LENGTH);
  const unchecked = `colophon_${id}_${secret}`;
  const text = unchecked + checksumOf(unchecked);
  return { id, text, secretHash: secretHashOf(text) };
}

/** Reads a key; each has one spelling, and no part of one is another. */
export function parseApiKey(text: string): ApiKeyResult {
  const parts = API_KEY.exec(text);
  if (parts === null || parts[2]! > LARGEST_SECRET) return { ok: false, reason: 'malformed' };
  if (checksumOf(text.slice(0, -CHECKSUM_LENGTH)) !== parts[3]) return { ok: false, reason: 'checksum' };
  return { ok: true, id: parts[1]!, secretHash: secretHashOf(text) };
}

/** Whether a text has the form of a key's id; it has a capital letter, as every one that `createApiKey` makes. */
export function isApiKeyId(text: string): boolean {
  return /^[0-9A-Za-z]{12}$/.test(text) && /[A-Z]/.test(text);
}

/**
 * The id in a text that somebody took for a key, whole, mistyped or cut: with it a leaked key is revoked. Undefined for
 * every other text.
 */
export function apiKeyIdIn(text: string): string | undefined {
  return /^colophon_([0-9A-Za-z]{12})_/.exec(text)?.find(isApiKeyId);
}

function secretHashOf(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}

function checksumOf(text: string): string {
  return encodeBase62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

/** Whether a credential is meant as an API key: no token begins so. */
export function isApiKey(text: string): boolean {
  return text.startsWith('colophon_');
}
