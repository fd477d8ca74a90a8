import { type JsonLimits, type JsonObject, type ParseResult, parseStrictJson } from '@colophon/json';
import { checkRecord } from '../record-schema/record-check.ts';
import type { Statement } from './statement.ts';
import { statementSchema } from './statement-schema.ts';

/** Bytes; an SBOM is a predicate too. */
export const DEFAULT_MAX_STATEMENT_BYTES = 16 * 1024 * 1024;
export const DEFAULT_MAX_STATEMENT_DEPTH = 128;

/**
 * Reads an in-toto Statement out of the bytes that were signed (the payload of a DSSE envelope). Whether the predicate
 * is what its type promises is for the parser of that type.
 *
 * @param limits see parseStrictJson; 16 MiB and 128 deep by default.
 * @returns the statement as it was signed, or every issue at once: `json.*`, `statement.*`.
 * @see contract §2.3; in-toto Statement v1
 */
export function parseStatement(bytes: Uint8Array, limits: JsonLimits = {}): ParseResult<Statement<JsonObject>> {
  const parsed = parseStrictJson(bytes, {
    maxBytes: limits.maxBytes ?? DEFAULT_MAX_STATEMENT_BYTES,
    maxDepth: limits.maxDepth ?? DEFAULT_MAX_STATEMENT_DEPTH,
    maxValues: limits.maxValues,
  });
  if (!parsed.ok) return parsed;
  const issues = checkRecord('statement', statementSchema, parsed.value, 'contract §2.3');
  return issues.length === 0
    ? { ok: true, value: parsed.value as unknown as Statement<JsonObject> }
    : { ok: false, issues };
}
