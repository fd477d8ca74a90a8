import type { Bom, Dependency } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';

/** A document with a clean dependency graph, and what had to be done for it. */
export type Connected = {
  readonly bom: Bom;
  /** Refs that led nowhere. */
  readonly dropped: number;
  /** Refs of the components of which nobody says what they need: they have no entry in the graph. */
  readonly unknown: readonly string[];
  /** Refs of the components that need more than the graph says, because that led nowhere. */
  readonly incomplete: readonly string[];
};

/**
 * Cleans the dependency graph: one entry for each ref, no ref that leads nowhere, no `dependsOn` twice. A component
 * without an entry gets none, since an entry without `dependsOn` says that it needs nothing.
 * @param bom every component has a `bom-ref`, see `withBomRefs`
 * @see CycloneDX 1.7, dependencies: a component that is not in the graph may have unknown dependencies
 */
export function withDependencyGraph(bom: Bom): Connected {
  const known = new Set<string>();
  for (const { component } of walkComponents(bom)) known.add(component['bom-ref'] as string);
  const services = new Set<string>();
  for (const service of serviceRefs(bom['services'])) services.add(service);

  const entries = new Map<string, { readonly more: Dependency; readonly dependsOn: Set<string> }>();
  const incomplete = new Set<string>();
  let dropped = 0;
  const isKnown = (ref: string) => known.has(ref) || services.has(ref);
  for (const dependency of bom.dependencies ?? []) {
    const { ref, dependsOn = [] } = dependency;
    if (!isKnown(ref)) {
      dropped++;
      continue;
    }
    const entry = entries.get(ref) ?? { more: dependency, dependsOn: new Set<string>() };
    entries.set(ref, entry);
    for (const needed of dependsOn) {
      if (isKnown(needed)) {
        entry.dependsOn.add(needed);
        continue;
      }
      dropped++;
      incomplete.add(ref);
    }
  }
  // Left empty, it would say that nothing is needed.
  for (const ref of incomplete) if (entries.get(ref)!.dependsOn.size === 0) entries.delete(ref);
  return {
    bom: {
      ...bom,
      dependencies: [...entries].map(([ref, { more, dependsOn }]) => {
        const { dependsOn: stated, ...rest } = more;
        // A stated empty list stays one.
        const isListed = dependsOn.size > 0 || stated?.length === 0;
        return { ...rest, ref, ...(isListed && { dependsOn: [...dependsOn] }) };
      }),
    },
    dropped,
    unknown: [...known].filter((ref) => !entries.has(ref) && !incomplete.has(ref)),
    incomplete: [...incomplete],
  };
}

function* serviceRefs(services: unknown): Generator<string> {
  if (!Array.isArray(services)) return;
  for (const service of services) {
    if (typeof service?.['bom-ref'] === 'string') yield service['bom-ref'];
    yield* serviceRefs(service?.services);
  }
}
