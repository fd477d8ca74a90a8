/** Where the source that code is compared with was read: the caller's registry, a place that the caller names outside of the
 * judged tree, or one inside it, whose text its author chose. */
export const REFERENCES = ['registry', 'given', 'judged tree'] as const;
/** One of {@link REFERENCES}. */
export type Reference = (typeof REFERENCES)[number];

/**
 * Where a reference stands that the caller names by a path.
 * @param names absolute paths by which it is reached: as it is written, and where its links lead; `/` between folders
 * @param trees absolute paths of the judged trees, without a slash at the end
 */
export function referenceAmong(names: readonly string[], trees: readonly string[]): Reference {
  const isInside = (name: string, tree: string) => name === tree || name.startsWith(tree === '/' ? tree : `${tree}/`);
  return names.some((name) => trees.some((tree) => isInside(name, tree))) ? 'judged tree' : 'given';
}
