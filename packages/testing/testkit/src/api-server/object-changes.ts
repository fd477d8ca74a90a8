/** An object of the API, to be changed. */
export type StoredObject = { [member: string]: unknown };

/** RFC 7396. */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: StoredObject = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatched(merged[name], value);
  }
  return merged;
}

function isObject(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
