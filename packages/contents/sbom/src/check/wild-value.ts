/** A JSON value that may be anything: the checks run on documents that their schema refuses, too. */
type WildObject = { readonly [name: string]: unknown };

/** The value where it is an object; otherwise one without members. */
export function objectIn(value: unknown): WildObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as WildObject) : {};
}

export function isObject(value: unknown): value is WildObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is a list; otherwise an empty one. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** True for text with something in it to see. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Text from outside for a sentence: quoted, and cut where it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
