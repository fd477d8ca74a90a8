/** An object of the API, to be changed. */
export type StoredObject = { [member: string]: unknown };

type Step = { readonly op: string; readonly path: string; readonly value?: unknown };

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

/** RFC 6902, of `add`, `replace`, `remove` and `test`. @throws Error where a step cannot be done */
export function jsonPatched(target: StoredObject, steps: readonly Step[]): StoredObject {
  const patched = structuredClone(target);
  for (const { op, path, value } of steps) {
    const names = path
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop() as string;
    const holder = names.reduce<StoredObject>((inner, name) => inner[name] as StoredObject, patched);
    if (!isObject(holder) && !Array.isArray(holder)) throw new Error(`nothing at ${path}`);
    if (op !== 'add' && !(last in holder)) throw new Error(`nothing at ${path}`);
    if (op === 'test' && JSON.stringify(holder[last]) !== JSON.stringify(value)) throw new Error(`other at ${path}`);
    if (op === 'remove') delete holder[last];
    if (op === 'add' || op === 'replace') holder[last] = value;
  }
  return patched;
}

function isObject(value: unknown): value is StoredObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
