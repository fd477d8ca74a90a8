import type { Issue, ParseResult } from '@colophon/json';
import { type ToolName, withTools } from '../complete/tools.ts';
import { sortedJson } from '../diff/sorted-json.ts';
import type { Bom, Component } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';
import { applyEdit, type Edit } from './apply-operation.ts';
import { type ComponentChange, changeComponent } from './component-change.ts';
import type { PatchIssueCode } from './patch-issue.ts';

/** What is to be changed, in the order in which it is done: edits, then components. */
export type Changes = {
  readonly edits?: readonly Edit[];
  readonly components?: ReadonlyArray<{
    /** `bom-ref`, or the purl of one or several components. */
    readonly component: string;
    readonly change: ComponentChange;
  }>;
};

/** Who patches, and when. */
export type PatchSource = {
  /** For a document that has none, `urn:uuid:…`. */
  readonly serialNumber: string;
  /** RFC 3339 with Z. */
  readonly timestamp: string;
  readonly tool: ToolName;
};

/** A patched document, and what was done to it. */
export type Patched = {
  readonly bom: Bom;
  /** False: every change was there already, and the document is the one that came in. */
  readonly isChanged: boolean;
  readonly serialNumberAdded: boolean;
  /** A signature inside the document does not survive a change. */
  readonly signatureDropped: boolean;
  /** How many components were changed. */
  readonly components: number;
};

/**
 * Makes all changes or none. The document keeps its serial number, gets the next version, the time and the tool of the
 * patch; where nothing changes it stays as it is. Whether the result is valid is for `validateBom` to say.
 * @returns the document, or issues with codes `patch.*`
 * @see contract §2.5: version is incremented when the SBOM itself is patched
 */
export function patchBom(
  bom: Bom,
  { edits = [], components = [] }: Changes,
  source: PatchSource,
): ParseResult<Patched> {
  const document = JSON.parse(JSON.stringify(bom)) as Bom;
  const issues = edits.flatMap((edit) => applyEdit(document, edit) ?? []);
  if (issues.length > 0) return { ok: false, issues };
  const changed = changeComponents(document, components);
  if (!changed.ok) return changed;
  const edited = changed.value.bom;
  if (sortedJson(edited) === sortedJson(bom)) {
    const value = { bom, isChanged: false, serialNumberAdded: false, signatureDropped: false, components: 0 };
    return { ok: true, value };
  }
  const { signature, ...unsigned } = edited;
  const value: Patched = {
    bom: {
      ...(unsigned as Bom),
      serialNumber: bom.serialNumber ?? source.serialNumber,
      version: (bom.version ?? 1) + 1,
      metadata: {
        ...edited.metadata,
        timestamp: source.timestamp,
        tools: withTools(edited.metadata?.tools, [source.tool], bom.specVersion),
      },
    },
    isChanged: true,
    serialNumberAdded: bom.serialNumber === undefined,
    signatureDropped: signature !== undefined,
    components: changed.value.count,
  };
  return { ok: true, value };
}

/** Who knows the name of a package seldom knows how a generator calls it. */
const MOST_NEAR = 3;

function changeComponents(
  bom: Bom,
  wanted: NonNullable<Changes['components']>,
): ParseResult<{ readonly bom: Bom; readonly count: number }> {
  if (wanted.length === 0) return { ok: true, value: { bom, count: 0 } };
  const byRef = new Map<string, Component>();
  const byPurl = new Map<string, Component[]>();
  for (const { component } of walkComponents(bom)) {
    const { purl, 'bom-ref': ref } = component;
    if (ref !== undefined && !byRef.has(ref)) byRef.set(ref, component);
    if (purl === undefined) continue;
    const named = byPurl.get(purl);
    if (named === undefined) byPurl.set(purl, [component]);
    else named.push(component);
  }
  const changes = new Map<Component, ComponentChange[]>();
  const issues: Issue[] = [];
  for (const { component: name, change } of wanted) {
    const meant = byRef.has(name) ? [byRef.get(name)!] : (byPurl.get(name) ?? []);
    if (meant.length === 0) {
      const message = `no component has the bom-ref or purl ${name}`;
      const known = new Set([...byRef.keys(), ...byPurl.keys()]);
      const near = [...known].filter((ref) => ref.includes(name)).slice(0, MOST_NEAR);
      const expected = near.length === 0 ? {} : { expected: `perhaps ${near.join(', ')}` };
      issues.push({
        path: '/components',
        code: 'patch.component_unknown' satisfies PatchIssueCode,
        message,
        ...expected,
      });
    }
    for (const component of meant) changes.set(component, [...(changes.get(component) ?? []), change]);
  }
  if (issues.length > 0) return { ok: false, issues };

  const hasAcknowledgement = bom.specVersion >= '1.6';
  const changed = (component: Component): Component => {
    const inner = component.components && { ...component, components: component.components.map(changed) };
    return (changes.get(component) ?? []).reduce(
      (before, change) => changeComponent(before, change, hasAcknowledgement),
      inner ?? component,
    );
  };
  const artifact = bom.metadata?.component;
  return {
    ok: true,
    value: {
      bom: {
        ...bom,
        ...(artifact && { metadata: { ...bom.metadata, component: changed(artifact) } }),
        ...(bom.components && { components: bom.components.map(changed) }),
      },
      count: changes.size,
    },
  };
}
