import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { parseHexDigest } from '@colophon/notation';
import { SEARCHED_DIGESTS } from '@colophon/sigstore';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { MAX_SEARCH_KEY_LENGTH, nameSearchKey, signerSearchKey } from '../log-entry/search-keys.ts';
import { parseVerifier } from '../log-entry/verifier.ts';
import type { FoundPage, TransparencyLog } from '../transparency-log/transparency-log.ts';

/**
 * Ids of the entries that a search by hash, e-mail address, certificate name or public key finds; with the operator
 * `and` only those that every part finds. A name finds what a known authority certified to it.
 * @throws AuthorityError `authority.request_malformed`, `authority.entry_invalid` for an unreadable key
 */
export function searchIndex(
  { hash, email, subject, publicKey, operator }: JsonObject,
  log: TransparencyLog,
  after?: number,
): FoundPage {
  if (operator !== undefined && operator !== '' && operator !== 'and' && operator !== 'or')
    throw malformed('operator is and, or or');
  const keys = [
    ...optional(hash).map(hashKey),
    ...optional(publicKey).map(publicKeyHash),
    ...[...optional(email), ...optional(subject)].map(nameKey),
  ];
  return log.search(keys, { all: operator === 'and', after });
}

function optional(value: JsonValue | undefined): JsonValue[] {
  return value === undefined || value === null || value === '' ? [] : [value];
}

function hashKey(value: JsonValue): string {
  const { algorithm, hex } = (typeof value === 'string' ? parseHexDigest(value.toLowerCase()) : undefined) ?? {};
  if (algorithm === undefined || !SEARCHED_DIGESTS.includes(algorithm)) {
    throw malformed('hash is a SHA-256 in hexadecimal, with or without sha256: before it');
  }
  return `${algorithm}:${hex}`;
}

function publicKeyHash(value: JsonValue): string {
  const { format, content } = isJsonObject(value) ? value : {};
  const pem = typeof content === 'string' && content !== '' ? decodeBase64(content) : undefined;
  if (format !== 'x509' || pem === undefined)
    throw malformed('publicKey has the format x509 and its content in base64');
  return signerSearchKey(parseVerifier(pem));
}

function nameKey(value: JsonValue): string {
  if (typeof value !== 'string' || value.length > MAX_SEARCH_KEY_LENGTH) throw malformed('email and subject are names');
  return nameSearchKey(value);
}

function malformed(message: string): AuthorityError {
  return new AuthorityError('authority.request_malformed', message);
}
