import { isJsonObject as isObject } from '@colophon/json';

/** An object of a document from outside; its members are read by name and never set. */
export type Members = Readonly<Record<string, unknown>>;

const NONE: Members = Object.freeze(Object.create(null));

export { isObject };

/** The value, where it is an object; otherwise one without members. */
export function objectOf(value: unknown): Members {
  return isObject(value) ? value : NONE;
}

/** The value, where it is a list; otherwise an empty one. For what nobody misses. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value, where it is text with more than blanks in it; as it stands. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Every text of a list. */
export function textsOf(value: unknown): string[] {
  return listOf(value).filter((entry): entry is string => textOf(entry) !== undefined);
}

/** Whether the object itself has this member; what every object inherits does not count. */
export function has(object: Members, name: string): boolean {
  return Object.hasOwn(object, name);
}
