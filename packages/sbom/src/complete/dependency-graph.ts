import type { Bom, Dependency } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';

/** A document with a whole dependency graph, and what had to be done for it. */
export type Connected = { readonly bom: Bom; readonly dropped: number; readonly isRootGuessed: boolean };

/**
 * Makes the dependency graph whole: an entry for every component, one for each ref, no ref that leads nowhere, no
 * `dependsOn` twice. Where nobody says what the artifact itself depends on, it is every component that no other one
 * needs: right for what a package manager resolved, a guess otherwise.
 * @param bom every component has a `bom-ref`, see `withBomRefs`
 */
export function withDependencyGraph(bom: Bom): Connected {
  const known = new Set<string>();
  for (const { component } of walkComponents(bom)) known.add(component['bom-ref'] as string);
  const services = new Set<string>();
  for (const service of serviceRefs(bom['services'])) services.add(service);

  const entries = new Map<string, { readonly more: Dependency; readonly dependsOn: Set<string> }>();
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
      if (isKnown(needed)) entry.dependsOn.add(needed);
      else dropped++;
    }
  }
  for (const ref of known) if (!entries.has(ref)) entries.set(ref, { more: { ref }, dependsOn: new Set() });

  const root = bom.metadata?.component?.['bom-ref'];
  const rootEntry = root === undefined ? undefined : entries.get(root);
  const isRootGuessed = rootEntry !== undefined && rootEntry.dependsOn.size === 0 && known.size > 1;
  if (isRootGuessed) {
    const needed = new Set([...entries.values()].flatMap(({ dependsOn }) => [...dependsOn]));
    for (const ref of known) if (ref !== root && !needed.has(ref)) rootEntry.dependsOn.add(ref);
  }
  return {
    bom: {
      ...bom,
      dependencies: [...entries].map(([ref, { more, dependsOn }]) => {
        const { dependsOn: _, ...rest } = more;
        return { ...rest, ref, ...(dependsOn.size > 0 && { dependsOn: [...dependsOn] }) };
      }),
    },
    dropped,
    isRootGuessed,
  };
}

function* serviceRefs(services: unknown): Generator<string> {
  if (!Array.isArray(services)) return;
  for (const service of services) {
    if (typeof service?.['bom-ref'] === 'string') yield service['bom-ref'];
    yield* serviceRefs(service?.services);
  }
}
