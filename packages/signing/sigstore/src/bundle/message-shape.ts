import { decodeBase64 } from '@colophon/encoding';
import { exactPointer, isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { parseInstant } from '@colophon/notation';

/** What stands at a place of a protobuf message written as JSON. */
export type Shape =
  | { readonly kind: 'text' | 'address' | 'int64' | 'time' }
  | { readonly kind: 'base64'; readonly mostBytes?: number }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'list'; readonly of: Shape; readonly most: number }
  | { readonly kind: 'message'; readonly fields: Fields; readonly needed: readonly string[] };
type Fields = { readonly [name: string]: Shape };

export const text: Shape = { kind: 'text' };
/** An absolute http or https URL. */
export const address: Shape = { kind: 'address' };
export const base64: Shape = { kind: 'base64' };
export const base64UpTo = (mostBytes: number): Shape => ({ kind: 'base64', mostBytes });
export const int64: Shape = { kind: 'int64' };
/** A `google.protobuf.Timestamp`: RFC 3339, in UTC or with an offset. */
export const time: Shape = { kind: 'time' };
export const choice = (...of: readonly string[]): Shape => ({ kind: 'choice', of });
export const list = (of: Shape, most: number): Shape => ({ kind: 'list', of, most });
/** @param needed fields that must be there and not empty; protobuf itself lets any field be left out. */
export const message = (fields: Fields, ...needed: readonly string[]): Shape => ({ kind: 'message', fields, needed });

/** The first place where a document departs from its shape. */
export type ShapeProblem = {
  /** JSON Pointer. */
  readonly path: string;
  readonly expected: string;
  /** The kind of value, or the start of a text. */
  readonly found: string;
  /** Set where it may well be what is expected, and is larger than is read. */
  readonly isTooLarge?: true;
};

/**
 * Says where a document departs from its shape, undefined where all is well. Fields that the shape does not know are
 * departures, as for every reader of the protobuf definition; null is absence.
 * Base64 is the standard alphabet with padding, so that one value has one spelling.
 */
export function findShapeProblem(value: JsonValue, shape: Shape, path = ''): ShapeProblem | undefined {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' ? undefined : problem(path, 'a text', value);
    case 'address':
      return isAddress(value) ? undefined : problem(path, 'an http or https URL', value);
    case 'base64':
      return base64Problem(path, value, shape.mostBytes);
    case 'int64':
      return isInt64(value) ? undefined : problem(path, 'a whole number from 0 on', value);
    case 'time':
      return isTime(value) ? undefined : problem(path, 'a time of RFC 3339', value);
    case 'choice':
      return typeof value === 'string' && shape.of.includes(value)
        ? undefined
        : problem(path, shape.of.join(', '), value);
    case 'list':
      if (!Array.isArray(value)) return problem(path, 'a list', value);
      if (value.length > shape.most) return { path, expected: `at most ${shape.most}`, found: `${value.length}` };
      return firstProblem(value.map((item, index) => [item, shape.of, `${path}/${index}`]));
    case 'message':
      return isJsonObject(value) ? findFieldProblem(value, shape, path) : problem(path, 'an object', value);
  }
}

function findFieldProblem(
  value: JsonObject,
  { fields, needed }: Extract<Shape, { kind: 'message' }>,
  path: string,
): ShapeProblem | undefined {
  const names = Object.keys(value).filter((name) => value[name] !== null);
  const at = (name: string) => path + exactPointer([name]);
  const unknown = names.find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) {
    return { path: at(unknown), expected: `only ${Object.keys(fields).join(', ')}`, found: 'an unknown member' };
  }
  const missing = needed.find((name) => !names.includes(name) || isEmpty(value[name] as JsonValue));
  if (missing !== undefined) return { path: at(missing), expected: `a value for ${missing}`, found: 'nothing' };
  return firstProblem(names.map((name) => [value[name] as JsonValue, fields[name] as Shape, at(name)]));
}

function firstProblem(places: readonly (readonly [JsonValue, Shape, string])[]): ShapeProblem | undefined {
  for (const [value, shape, path] of places) {
    const found = findShapeProblem(value, shape, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

function base64Problem(path: string, value: JsonValue, mostBytes = Number.POSITIVE_INFINITY): ShapeProblem | undefined {
  if (typeof value === 'string' && value.length > Math.ceil(mostBytes / 3) * 4) {
    return { path, expected: `at most ${mostBytes} bytes`, found: `${value.length} characters`, isTooLarge: true };
  }
  return typeof value === 'string' && decodeBase64(value) !== undefined ? undefined : problem(path, 'base64', value);
}

function problem(path: string, expected: string, value: JsonValue): ShapeProblem {
  return { path, expected, found: described(value) };
}

/** Protobuf does not tell an empty text or list from one that was left out. */
function isEmpty(value: JsonValue): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

function described(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  if (Array.isArray(value)) return 'a list';
  return isJsonObject(value) ? 'an object' : String(value);
}

function isAddress(value: JsonValue): boolean {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
}

function isInt64(value: JsonValue): boolean {
  return typeof value === 'number'
    ? Number.isSafeInteger(value) && value >= 0
    : typeof value === 'string' && /^(0|[1-9][0-9]{0,14})$/.test(value);
}

function isTime(value: JsonValue): boolean {
  return (
    typeof value === 'string' && /^.{10}T.{8}(\.\d{1,9})?(Z|[+-].{5})$/.test(value) && parseInstant(value) !== undefined
  );
}
