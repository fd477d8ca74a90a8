import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/records';

/** What stands at a place of a protobuf message written as JSON. */
export type Shape =
  | { readonly kind: 'text' | 'base64' | 'int64' }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'list'; readonly of: Shape; readonly most: number }
  | { readonly kind: 'message'; readonly fields: { readonly [name: string]: Shape } };

export const text: Shape = { kind: 'text' };
export const base64: Shape = { kind: 'base64' };
export const int64: Shape = { kind: 'int64' };
export const choice = (...of: readonly string[]): Shape => ({ kind: 'choice', of });
export const list = (of: Shape, most: number): Shape => ({ kind: 'list', of, most });
export const message = (fields: { readonly [name: string]: Shape }): Shape => ({ kind: 'message', fields });

/**
 * Says where a document departs from its shape: the JSON Pointer of the first place, undefined where all is well.
 * Fields that the shape does not know are departures, as for every reader of the protobuf definition; null is absence.
 * Base64 is the standard alphabet with padding, so that one value has one spelling.
 */
export function findShapeProblem(value: JsonValue, shape: Shape, path = ''): string | undefined {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' ? undefined : path;
    case 'base64':
      return typeof value === 'string' && isBase64(value) ? undefined : path;
    case 'int64':
      return isInt64(value) ? undefined : path;
    case 'choice':
      return typeof value === 'string' && shape.of.includes(value) ? undefined : path;
    case 'list':
      if (!Array.isArray(value) || value.length > shape.most) return path;
      return firstProblem(value.map((item, index) => [item, shape.of, `${path}/${index}`]));
    case 'message':
      return isJsonObject(value) ? findFieldProblem(value, shape.fields, path) : path;
  }
}

function findFieldProblem(value: JsonObject, fields: { readonly [name: string]: Shape }, path: string) {
  const names = Object.keys(value).filter((name) => value[name] !== null);
  const unknown = names.find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return `${path}/${unknown}`;
  return firstProblem(names.map((name) => [value[name] as JsonValue, fields[name] as Shape, `${path}/${name}`]));
}

function firstProblem(places: readonly (readonly [JsonValue, Shape, string])[]): string | undefined {
  for (const [value, shape, path] of places) {
    const problem = findShapeProblem(value, shape, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isBase64(value: string): boolean {
  return Buffer.from(value, 'base64').toString('base64') === value;
}

function isInt64(value: JsonValue): boolean {
  return typeof value === 'number'
    ? Number.isSafeInteger(value) && value >= 0
    : typeof value === 'string' && /^(0|[1-9][0-9]{0,14})$/.test(value);
}
