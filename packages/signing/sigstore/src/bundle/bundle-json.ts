import { type JsonLimits, type JsonValue, type ParseResult, parseStrictJson } from '@colophon/json';
import { VerificationError } from '../verify/verification-error.ts';

/**
 * An attestation about a large artifact carries its whole statement, as one text: beside it a bundle, and each document in
 * it, has some dozens of values.
 */
export const BUNDLE_LIMITS = { maxBytes: 32 * 1024 * 1024, maxDepth: 64, maxValues: 10_000 };

/**
 * Reads the JSON of a bundle, or of a document in or beside one that is not its statement. What is larger than any of
 * them is no malformed one: it was not read.
 * @throws VerificationError `bundle.too_large`
 */
export function parseBundleJson(bytes: Uint8Array, limits: JsonLimits = BUNDLE_LIMITS): ParseResult<JsonValue> {
  const parsed = parseStrictJson(bytes, limits);
  const limit = parsed.ok ? undefined : parsed.issues.find(({ code }) => LIMIT_CODES.includes(code));
  if (limit === undefined) return parsed;
  const details = limit.expected === undefined ? {} : { expected: limit.expected };
  throw new VerificationError('bundle.too_large', 'the bundle is larger than is read', details);
}

const LIMIT_CODES: readonly string[] = ['json.too_large', 'json.too_many_values'];
