import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';

/** An object's name, or the beginning from which the API server will make one; undefined where it has neither. */
export function nameOf(object: unknown): string | undefined {
  const { name, generateName } = metadataOf(object);
  return textOf(name) ?? textOf(generateName);
}

/** The controller that an object belongs to, as `Kind/name`: the first owner that says it controls it. */
export function ownerOf(object: unknown): string | undefined {
  const { ownerReferences: owners } = metadataOf(object);
  if (!Array.isArray(owners)) return undefined;
  const owner = (owners as readonly JsonValue[]).find((one) => isJsonObject(one) && one.controller === true);
  const { kind, name } = (owner ?? {}) as JsonObject;
  return textOf(kind) === undefined || textOf(name) === undefined ? undefined : `${kind}/${name}`;
}

/** An object's metadata; empty where it has none. */
export function metadataOf(object: unknown): JsonObject {
  return isJsonObject(object) && isJsonObject(object.metadata) ? object.metadata : {};
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
