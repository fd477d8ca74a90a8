import type { Bom } from '../document/bom.ts';

/** How much of what something needs is in the graph. */
export type Completeness = 'incomplete' | 'unknown';

/** Says how whole something is. `dependencies` are the refs of components whose needs are meant. */
export type Composition = {
  readonly aggregate: string;
  readonly assemblies?: readonly string[];
  readonly dependencies?: readonly string[];
  readonly [name: string]: unknown;
};

/**
 * The document with a composition that says of each ref how much of its dependencies is known. A ref of which the
 * document says that already, in whatever way, is left as it is.
 * @see CycloneDX 1.3 and later, compositions
 */
export function withCompleteness(bom: Bom, aggregate: Completeness, refs: readonly string[]): Bom {
  const listed = bom['compositions'];
  const known = Array.isArray(listed) ? (listed as readonly Composition[]) : [];
  const said = new Set(known.flatMap((one) => (Array.isArray(one?.dependencies) ? one.dependencies : [])));
  const missing = refs.filter((ref) => !said.has(ref));
  if (missing.length === 0) return bom;
  const own = known.findIndex((one) => isOwn(one, aggregate));
  const compositions =
    own < 0
      ? [...known, { aggregate, dependencies: missing }]
      : known.map((one, at) => (at === own ? { ...one, dependencies: [...one.dependencies!, ...missing] } : one));
  return { ...bom, compositions };
}

/** True where some composition says that dependencies are not all known. */
export function saysUnknownDependencies(compositions: unknown): boolean {
  if (!Array.isArray(compositions)) return false;
  return compositions.some(
    (one: Partial<Composition> | null) =>
      Array.isArray(one?.dependencies) &&
      one.dependencies.length > 0 &&
      one.aggregate !== undefined &&
      one.aggregate !== 'complete',
  );
}

/** One that says nothing else, so that more refs may stand in it. */
function isOwn(composition: Composition, aggregate: Completeness): boolean {
  const { aggregate: stated, dependencies, ...more } = composition ?? {};
  return stated === aggregate && Array.isArray(dependencies) && Object.keys(more).length === 0;
}
