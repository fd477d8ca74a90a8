import type { JsonValue } from '@colophon/json';

/** The same text for the same value, in whatever order its members are; made to be compared, and not to be read. */
export function contentKey(value: JsonValue): string {
  return JSON.stringify(value, (_name, one: JsonValue) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
