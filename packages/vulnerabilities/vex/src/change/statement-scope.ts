import { type MatchablePurl, matchablePurl } from '../match/matchable-purl.ts';
import type { VexProduct, VexSubject } from '../vex-document/vex-document.ts';

/**
 * What a statement reaches: a product, or one component inside it. Written as a package URL is taken apart, with the
 * component's parts behind `>`, so that what covers package URLs covers scopes: without a component it is all of them.
 */
export type Scope = Pick<MatchablePurl, 'base' | 'parts'>;

/** Each product and each component inside one that a statement speaks of. */
export function scopesOf(products: readonly VexProduct[]): readonly Scope[] {
  return products.flatMap((product) => {
    const whole = urlOf(product);
    const { subcomponents = [] } = product;
    if (subcomponents.length === 0) return [whole];
    return subcomponents.map((subcomponent) => {
      const { base, parts } = urlOf(subcomponent);
      const inside = [...parts].map(([key, value]) => [`>${key}`, value] as const);
      return { base: whole.base, parts: new Map([...whole.parts, ['>', base], ...inside]) };
    });
  });
}

/** Whether something can be in both scopes: they differ in nothing that both of them say. */
export function overlap(one: Scope, other: Scope): boolean {
  if (one.base !== other.base) return false;
  for (const [key, value] of one.parts) {
    const there = other.parts.get(key);
    if (there !== undefined && there !== value) return false;
  }
  return true;
}

/** What is in both of two scopes that overlap. */
export function bothOf(one: Scope, other: Scope): Scope {
  return { base: one.base, parts: new Map([...one.parts, ...other.parts]) };
}

/** By the purl, else by whatever else it is called, which then has to be the same text. */
function urlOf({ id, purl, cpe23, cpe22, hashes, name }: VexSubject): Scope {
  for (const text of [purl, id]) {
    const url = text === undefined ? undefined : matchablePurl(text);
    if (url !== undefined) return url;
  }
  const text = id ?? purl ?? cpe23 ?? cpe22 ?? Object.values(hashes ?? {})[0] ?? name ?? '';
  return { base: text, parts: new Map() };
}
