import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';

/** An object's name, or the beginning from which the API server will make one; undefined where it has neither. */
export function nameOf(object: unknown): string | undefined {
  const { name, generateName } = metadataOf(object);
  return textOf(name) ?? textOf(generateName);
}

/** The controller that an object belongs to, as `Kind/name`. */
export function ownerOf(object: unknown): string | undefined {
  const { kind, name } = controllerOf(object) ?? {};
  return textOf(kind) === undefined || textOf(name) === undefined ? undefined : `${kind}/${name}`;
}

/** The reference to the controller that an object belongs to, as it was written: the first owner that says it controls it. */
export function controllerOf(object: unknown): JsonObject | undefined {
  const { ownerReferences: owners } = metadataOf(object);
  if (!Array.isArray(owners)) return undefined;
  return (owners as readonly JsonValue[]).filter(isJsonObject).find(({ controller }) => controller === true);
}

/** An object's metadata; empty where it has none. */
export function metadataOf(object: unknown): JsonObject {
  return isJsonObject(object) && isJsonObject(object.metadata) ? object.metadata : {};
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
