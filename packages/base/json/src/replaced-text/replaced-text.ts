/** What stands in a text for what no text may hold. */
const REPLACEMENT = '\ufffd';

/** In the text of a JSON document: NUL, and surrogates even if they are pairs, as escapes. */
const DOUBTFUL_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** Whether the text of a JSON document may hold NUL or half of a surrogate pair; both stand in it as escapes alone. */
export function mayHoldOddText(json: string): boolean {
  return json.includes('\\') && DOUBTFUL_ESCAPE.test(json);
}

/**
 * A text that every database, encoding and JSON reader takes: U+FFFD stands for NUL and for half of a surrogate pair.
 * PostgreSQL has no NUL in a text, UTF-8 no half of a pair, and canonical JSON refuses the latter.
 */
export function replacedText(text: string): string {
  return text.replaceAll('\0', REPLACEMENT).toWellFormed();
}

/**
 * What JSON.parse made of a document, with `replacedText` for each of its texts and names. Nothing is copied where the
 * document holds none that would be replaced.
 * @param json the text that was parsed
 */
export function withReplacedText<Value>(value: Value, json: string): Value {
  return mayHoldOddText(json) ? (replacedIn(value) as Value) : value;
}

function replacedIn(value: unknown): unknown {
  if (typeof value === 'string') return replacedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(replacedIn);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [replacedText(name), replacedIn(member)]));
}
