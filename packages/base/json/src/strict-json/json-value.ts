/** Any JSON value, as parseStrictJson returns it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; every member is an own property, `__proto__` too. */
export type JsonObject = { readonly [name: string]: JsonValue };

/** True for a JSON object, false for an array, null and every scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
