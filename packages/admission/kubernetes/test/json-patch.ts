import type { PatchOperation } from '@colophon/kubernetes';

/** Applies a JSON Patch of tests and replacements to a copy of a document. @see RFC 6902 */
export function applyPatch<T>(document: T, operations: readonly PatchOperation[]): T {
  const root = { document: structuredClone(document) };
  for (const { op, path, value } of operations) {
    const names = path
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop() as string;
    const parent = names.reduce<Record<string, never>>((at, name) => at[name]!, root.document as never);
    if (!Object.hasOwn(parent, last)) throw new Error(`nothing stands at ${path}`);
    if (op === 'replace') Object.assign(parent, { [last]: value });
    else if (parent[last] !== value) throw new Error(`the test of ${path} fails`);
  }
  return root.document;
}
