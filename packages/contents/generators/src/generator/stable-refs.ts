import { parseUuid } from '@colophon/notation';
import { type Bom, type Component, walkComponents } from '@colophon/sbom';

const HASH = /^[0-9a-f]{16}$/;

/**
 * A document whose refs are the same in every run: trivy calls what has no purl by a random UUID, and syft calls the
 * artifact by a hash of the place where it lies. Each is called by its purl instead, else by `name@version`; whatever
 * refers to it follows.
 */
export function withStableRefs(bom: Bom): Bom {
  const taken = new Set<string>();
  const passing: Component[] = [];
  for (const { component } of walkComponents(bom)) {
    const ref = component['bom-ref'];
    // Nobody has checked the generator's document against its schema yet.
    if (typeof ref !== 'string') continue;
    const isArtifact = component === bom.metadata?.component;
    const isRandom = parseUuid(ref.replace(/^urn:uuid:/i, '')) !== undefined;
    if (isRandom || (isArtifact && HASH.test(ref))) passing.push(component);
    else taken.add(ref);
  }
  const names = new Map<string, string>();
  for (const component of passing) {
    const name = component.purl || [component.name, component.version].filter(Boolean).join('@');
    let ref = name;
    for (let number = 2; taken.has(ref); number++) ref = `${name}#${number}`;
    taken.add(ref);
    names.set(component['bom-ref'] as string, ref);
  }
  return names.size === 0 ? bom : (renamed(bom, names) as Bom);
}

/** Refs stand in dependencies, compositions, vulnerabilities and elsewhere; nothing else has such a value by chance. */
function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => renamed(one, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, renamed(one, names)]));
}
