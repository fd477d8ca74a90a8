/** Everything that parseStrictJson refuses, by its stable code. */
export const JSON_ISSUES = {
  'json.too_large': { message: 'The document is larger than is accepted here.', source: 'contract §8' },
  'json.bom': { message: 'The document starts with a byte order mark.', source: 'RFC 8259 §8.1' },
  'json.not_utf8': { message: 'The document is not valid UTF-8.', source: 'RFC 8259 §8.1' },
  'json.syntax': { message: 'The document is not one JSON value.', source: 'RFC 8259 §2' },
  'json.duplicate_key': { message: 'An object has two members of this name.', source: 'RFC 7493 §2.3' },
  'json.too_deep': { message: 'The document is nested deeper than is accepted here.', source: 'contract §8' },
  'json.too_many_values': { message: 'The document holds more values than are accepted here.', source: 'contract §8' },
  'json.number_range': {
    message: 'A number cannot be kept exactly: beyond 2^53 - 1, negative zero, or too small to hold.',
    source: 'RFC 7493 §2.2',
  },
  'json.lone_surrogate': { message: 'A string holds half of a surrogate pair.', source: 'RFC 7493 §2.1' },
  'json.nul': { message: 'The document holds a NUL character.', source: 'RFC 8259 §8.3' },
} as const;

export type JsonIssueCode = keyof typeof JSON_ISSUES;

/**
 * What a caller may take where it trusts who wrote the document: an escaped NUL, and a number that is then the nearest
 * double. Neither changes what else the document says.
 */
export type ToleratedJsonIssue = Extract<JsonIssueCode, 'json.number_range' | 'json.nul'>;

/** Every code of parseStrictJson. */
export const JSON_ISSUE_CODES = Object.keys(JSON_ISSUES) as readonly JsonIssueCode[];
