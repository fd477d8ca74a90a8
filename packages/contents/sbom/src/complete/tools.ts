import type { Component, Metadata, SpecVersion, Tool } from '../document/bom.ts';

/** A program that had a hand in a document. */
export type ToolName = { readonly name: string; readonly version?: string; readonly group?: string };

/**
 * The tools of a document with `added` among them, in the shape that its version of CycloneDX has: components from 1.5,
 * before it the list of vendor, name and version. One that is there already, by name and version, is not added again.
 * @see contract §2.5: type, bom-ref, name, version
 */
export function withTools(
  tools: Metadata['tools'],
  added: readonly ToolName[],
  specVersion: SpecVersion,
): NonNullable<Metadata['tools']> {
  if (specVersion < '1.5') {
    const listed = Array.isArray(tools) ? (tools as readonly Tool[]) : [];
    const missing = added.filter((tool) => !listed.some((known) => isSame(known, tool)));
    return [...listed, ...missing.map(({ name, version }) => ({ name, ...(version && { version }) }))];
  }
  const set = Array.isArray(tools)
    ? { components: (tools as readonly Tool[]).map((tool) => tool && toolComponent(tool)) }
    : (tools ?? {});
  const known = (set as { components?: readonly Component[] }).components ?? [];
  // What breaks the schema is not made to look as if it did not.
  if (!Array.isArray(known) || known.some((component) => typeof component !== 'object' || component === null)) {
    return set as NonNullable<Metadata['tools']>;
  }
  const missing = added.filter((tool) => !known.some((component) => isSame(component, tool)));
  const components = [...known, ...missing.map(toolComponent)];
  return { ...set, components: withToolRefs(components) };
}

function isSame(known: Pick<Tool, 'name' | 'version'> | null, { name, version }: ToolName): boolean {
  return known?.name === name && (version === undefined || known.version === version);
}

function toolComponent({ name, version, vendor, group }: Tool & { readonly group?: string }): Component {
  return {
    type: 'application',
    ...(vendor && { publisher: vendor }),
    ...(group && { group }),
    name: name ?? vendor ?? 'unknown',
    ...(version && { version }),
  };
}

// Kept apart from the refs of what the document is about: a tool may be a component of itself.
function withToolRefs(components: readonly Component[]): Component[] {
  const used = new Set(components.flatMap((component) => component['bom-ref'] ?? []));
  return components.map((component) => {
    if (component['bom-ref']) return component;
    const base = `tool:${component.name}${component.version ? `@${component.version}` : ''}`;
    let ref = base;
    for (let number = 2; used.has(ref); number++) ref = `${base}#${number}`;
    used.add(ref);
    return { ...component, 'bom-ref': ref };
  });
}
