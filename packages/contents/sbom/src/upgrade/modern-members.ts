import type { Bom, Component, Metadata, Tool } from '../document/bom.ts';
import { mapComponents } from '../profile/map-components.ts';

/**
 * Writes what older versions said in members that 1.6 replaced: tools as components, an author among the authors, the
 * manufacturer of the artifact with the artifact, the evidence of an identity as a list. Nothing is lost.
 */
export function withModernMembers(bom: Bom, notes: string[]): Bom {
  const counts = { authors: 0, identities: 0 };
  const next = mapComponents(bom, (component) => {
    let one = component;
    const { author, ...rest } = one;
    if (typeof author === 'string' && one['authors'] === undefined) {
      counts.authors++;
      one = { ...(rest as Component), authors: [{ name: author }] };
    }
    const identity = one.evidence?.identity;
    if (identity !== undefined && !Array.isArray(identity)) {
      counts.identities++;
      one = { ...one, evidence: { ...one.evidence, identity: [identity] } } as Component;
    }
    return one;
  });
  if (counts.authors > 0) notes.push(`the author of ${components(counts.authors)} stands in "authors"`);
  if (counts.identities > 0) notes.push(`the identity of ${components(counts.identities)} is a list`);
  return withModernMetadata(next, notes);
}

function components(count: number): string {
  return count === 1 ? '1 component' : `${count} components`;
}

function withModernMetadata(bom: Bom, notes: string[]): Bom {
  if (bom.metadata === undefined) return bom;
  const { manufacture, ...rest } = bom.metadata;
  const artifact = rest.component;
  let metadata: Metadata = bom.metadata;
  if (manufacture !== undefined && artifact !== undefined && artifact['manufacturer'] === undefined) {
    metadata = { ...rest, component: { ...artifact, manufacturer: manufacture } };
    notes.push('"metadata.manufacture" stands in "metadata.component.manufacturer"');
  }
  const tools = metadata.tools as unknown;
  if (Array.isArray(tools) && tools.every((tool) => typeof tool?.name === 'string')) {
    metadata = { ...metadata, tools: { components: tools.map(toolComponent) } };
    notes.push('the tools in "metadata.tools" are components');
  }
  return metadata === bom.metadata ? bom : { ...bom, metadata };
}

function toolComponent({ vendor, ...tool }: Tool): Component {
  return { type: 'application', ...(vendor && { publisher: vendor }), ...tool } as Component;
}
