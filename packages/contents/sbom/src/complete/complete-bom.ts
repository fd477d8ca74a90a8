import type { Bom, Component, Metadata, Organization } from '../document/bom.ts';
import { withBomRefs } from './bom-refs.ts';
import { withCompleteness } from './compositions.ts';
import { withDependencyGraph } from './dependency-graph.ts';
import { orderBom } from './order-bom.ts';
import { type ToolName, withTools } from './tools.ts';

/** What somebody who reads the document should know about how it was completed. */
export const COMPLETION_NOTE_CODES = [
  /** Nobody said who supplies the artifact. */
  'completion.no_supplier',
  /** Nobody said which version the artifact has. */
  'completion.no_version',
  /** Components had no `bom-ref`, or one that another component has too. */
  'completion.refs_made',
  /** Dependencies led to components that are not there. */
  'completion.refs_dropped',
  /** Nobody said what components depend on; compositions say so. */
  'completion.dependencies_unknown',
  /** The document was signed inside; a signature does not survive a change. */
  'completion.signature_dropped',
] as const;
export type CompletionNote = { readonly code: (typeof COMPLETION_NOTE_CODES)[number]; readonly message: string };

/** What a generator does not know, or does not say. */
export type Completion = {
  /** `urn:uuid:…`, lower case; another one for every build. */
  readonly serialNumber: string;
  /** RFC 3339 with Z. */
  readonly timestamp: string;
  /** Phase; `build` where neither this nor the document says. */
  readonly lifecycle?: string;
  /** The generator and whoever else had a hand in it. */
  readonly tools: readonly ToolName[];
  /** The documented artifact; what stands here is taken before what the generator says. */
  readonly component?: Partial<Pick<Component, 'type' | 'group' | 'name' | 'version' | 'purl' | 'licenses'>> & {
    readonly supplier?: Organization;
  };
};

/**
 * Completes the document of a generator to what the contract asks for, in one stable order: serial number, version 1,
 * timestamp, lifecycles, tools, artifact with supplier, a `bom-ref` for every component, a clean dependency graph.
 * Nothing is invented: what nobody said is left out, and is in the notes. Components of which nobody says what they
 * need are not in the graph; a composition lists them as `unknown`.
 * @param bom of CycloneDX 1.5 or later
 * @see contract §2.5
 */
export function completeBom(
  bom: Bom,
  { serialNumber, timestamp, lifecycle, tools, component: given }: Completion,
): { readonly bom: Bom; readonly notes: readonly CompletionNote[] } {
  if (bom.specVersion < '1.5') throw new TypeError('completeBom: lifecycles and tools need CycloneDX 1.5');
  const notes: CompletionNote[] = [];
  const { signature, ...unsigned } = bom;
  if (signature !== undefined) {
    notes.push({ code: 'completion.signature_dropped', message: 'the signature inside the document was left out' });
  }
  const component = artifactOf(bom.metadata?.component, given);
  const metadata: Metadata = {
    ...bom.metadata,
    timestamp,
    lifecycles: lifecyclesOf(bom.metadata?.lifecycles, lifecycle),
    tools: withTools(bom.metadata?.tools, tools, bom.specVersion),
    component,
  };
  if (component.supplier?.name === undefined) {
    notes.push({ code: 'completion.no_supplier', message: 'the supplier of the artifact is not known' });
  }
  if (component.version === undefined) {
    notes.push({ code: 'completion.no_version', message: 'the version of the artifact is not known' });
  }
  const referenced = withBomRefs({
    ...unsigned,
    $schema: `http://cyclonedx.org/schema/bom-${bom.specVersion}.schema.json`,
    serialNumber,
    version: 1,
    metadata,
    components: bom.components ?? [],
  } as Bom);
  if (referenced.added + referenced.renamed > 0) {
    const message = `components without bom-ref: ${referenced.added}; with that of another one: ${referenced.renamed}`;
    notes.push({ code: 'completion.refs_made', message });
  }
  const connected = withDependencyGraph(referenced.bom);
  if (connected.dropped > 0) {
    const message = `dependencies that lead to no component of the document, and were left out: ${connected.dropped}`;
    notes.push({ code: 'completion.refs_dropped', message });
  }
  if (connected.unknown.length > 0) {
    const root = referenced.bom.metadata?.component?.['bom-ref'];
    const others = connected.unknown.filter((ref) => ref !== root).length;
    const whose = [
      ...(connected.unknown.length > others ? ['the artifact itself'] : []),
      ...(others > 0 ? [others === 1 ? 'one component' : `${others} components`] : []),
    ];
    const message = `the dependencies of these are not known, so the graph does not have them: ${whose.join(' and ')}`;
    notes.push({ code: 'completion.dependencies_unknown', message });
  }
  const partly = withCompleteness(connected.bom, 'incomplete', connected.incomplete);
  return { bom: orderBom(withCompleteness(partly, 'unknown', connected.unknown)), notes };
}

function lifecyclesOf(known: Metadata['lifecycles'], phase: string | undefined): NonNullable<Metadata['lifecycles']> {
  if (phase === undefined && known !== undefined && known.length > 0) return known;
  return [{ phase: phase ?? 'build' }];
}

/** Names of another artifact than the given one do not stay with it. */
function artifactOf(known: Component | undefined, given: Completion['component'] = {}): Component {
  const stated = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const merged: Component = { type: 'application', name: 'unknown', ...known, ...stated };
  if (known === undefined) return merged;
  const { group: _group, purl: _purl, cpe: _cpe, swid: _swid, ...nameless } = merged;
  const isNamed = given.name !== undefined && fullName(known) !== fullName({ ...given, name: given.name });
  const isOther = isNamed || (given.version !== undefined && given.version !== known.version);
  if (!isOther) return merged;
  const group = given.name === undefined ? merged.group : given.group;
  return { ...nameless, ...(group && { group }), ...(given.purl && { purl: given.purl }) } as Component;
}

function fullName({ group, name }: { readonly group?: string; readonly name: string }): string {
  return group ? `${group}/${name}` : name;
}
