import { type Issue, type JsonValue, type ParseResult, parseStrictJson } from '@colophon/json';

/** As many issues as the parser notes before it stops. */
const MOST_ISSUES = 20;

/**
 * Reads JSON as Kubernetes writes it: strictly, but for integers of 64 bits, which become the nearest double. None of them
 * says anything about an image, and a grace period without end is one.
 * @returns the value, or every issue at once, with codes `json.*`
 */
export function parseApiJson(
  bytes: Uint8Array,
  limits: { readonly maxBytes: number; readonly maxDepth: number },
): ParseResult<JsonValue> {
  const parsed = parseStrictJson(bytes, limits);
  if (parsed.ok || !isLargeNumberAlone(parsed.issues)) return parsed;
  return { ok: true, value: JSON.parse(new TextDecoder().decode(bytes)) };
}

function isLargeNumberAlone(issues: readonly Issue[]): boolean {
  return issues.length < MOST_ISSUES && issues.every(({ code }) => code === 'json.number_range');
}
