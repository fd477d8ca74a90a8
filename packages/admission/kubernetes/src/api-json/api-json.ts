import { type JsonValue, type ParseResult, parseStrictJson } from '@colophon/json';

/**
 * Reads JSON as Kubernetes writes it: strictly, but for integers of 64 bits, which become the nearest double, and NUL in
 * texts. The API server takes both, as often as somebody writes them: a toleration without end, an argument of a program.
 * No number says anything about an image, and a text with NUL is another one than the text without.
 * @returns the value, or every issue at once, with codes `json.*`
 */
export function parseApiJson(
  bytes: Uint8Array,
  limits: { readonly maxBytes: number; readonly maxDepth: number },
): ParseResult<JsonValue> {
  return parseStrictJson(bytes, { ...limits, tolerated: ['json.number_range', 'json.nul'] });
}
