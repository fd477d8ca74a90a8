import type { Bom, Component } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';

/** A document in which every component has a `bom-ref` of its own, and what had to be done for it. */
export type Referenced = { readonly bom: Bom; readonly added: number; readonly renamed: number };

/**
 * Gives every component, nested ones and the documented artifact too, a `bom-ref` that no other one has: the one it
 * has, else its purl, else `group/name@version`. Of several with one ref the first keeps it, so that dependencies still
 * lead there; the others get `#2`, `#3`.
 */
export function withBomRefs(bom: Bom): Referenced {
  const reserved = new Set<string>();
  for (const { component } of walkComponents(bom)) {
    if (component['bom-ref']) reserved.add(component['bom-ref']);
  }
  for (const service of listOf(bom['services'])) if (service['bom-ref']) reserved.add(service['bom-ref'] as string);
  const used = new Set<string>();
  const counts = { added: 0, renamed: 0 };
  const nextNumber = new Map<string, number>();

  const refOf = (component: Component): string => {
    const own = component['bom-ref'];
    if (own && !used.has(own)) return own;
    counts[own ? 'renamed' : 'added']++;
    const base = own || component.purl || nameOf(component);
    if (!reserved.has(base) && !used.has(base)) return base;
    for (let number = nextNumber.get(base) ?? 2; ; number++) {
      const ref = `${base}#${number}`;
      if (reserved.has(ref) || used.has(ref)) continue;
      nextNumber.set(base, number + 1);
      return ref;
    }
  };
  const referenced = (component: Component): Component => {
    const ref = refOf(component);
    used.add(ref);
    const { components } = component;
    return { ...component, 'bom-ref': ref, ...(components && { components: components.map(referenced) }) };
  };

  const { metadata, components } = bom;
  const artifact = metadata?.component && referenced(metadata.component);
  return {
    bom: {
      ...bom,
      ...(artifact && { metadata: { ...metadata, component: artifact } }),
      ...(components && { components: components.map(referenced) }),
    },
    ...counts,
  };
}

/** `group/name@version`, as far as a component has them. */
export function nameOf({ group, name, version }: Component): string {
  return `${group ? `${group}/` : ''}${name}${version ? `@${version}` : ''}`;
}

function listOf(value: unknown): ReadonlyArray<Record<string, unknown>> {
  return Array.isArray(value) ? value : [];
}
