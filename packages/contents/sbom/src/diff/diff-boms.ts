import type { LicenseChoice } from '@colophon/licences';
import { compareTexts } from '@colophon/notation';
import type { ResultOf } from '@colophon/records/result';
import type { Attribution } from '../attribution/attribution.ts';
import { readAttribution } from '../attribution/read-attribution.ts';
import type { Bom, Component, Hash, Metadata, Property } from '../document/bom.ts';
import type { bomDiff } from './bom-diff-result.ts';
import { type ComponentPairs, identityOf, pairComponents } from './component-pairs.ts';
import { sortedJson, textOf } from './sorted-json.ts';

/** What one document says and the other does not. Every list is sorted. */
export type BomDiff = ResultOf<typeof bomDiff>;
/** A component that is in both documents and not the same. */
type ChangedComponent = BomDiff['changed_components'][number];
/** A component that is in one document. */
type LoneComponent = BomDiff['added_components'][number];
type FieldChange = BomDiff['document_changes'][number];

export type DiffOptions = {
  /** Of variant B's properties, where it is not `vendor`. */
  readonly namespace?: string;
};

/** Members whose change says nothing about the components. */
const DOCUMENT_ONLY = new Set(['/$schema', '/serialNumber', '/version', '/metadata/timestamp', '/metadata/tools']);
const COMPARED_APART = new Set(['metadata', 'components', 'dependencies']);
const TEXT_FIELDS = ['type', 'group', 'name', 'version', 'scope', 'purl'] as const;
const FIELDS_APART = new Set<string>([
  ...TEXT_FIELDS,
  'bom-ref',
  'supplier',
  'licenses',
  'hashes',
  'components',
  'properties',
]);
const MOST_SHOWN_LENGTH = 200;

/**
 * Compares what two documents say: components (version, licences, hashes, supplier, scope, what agents wrote, anything
 * else by name), dependencies, and the document itself. In which order things stand, and what `bom-ref`s are called,
 * makes no difference. Linear in components and dependencies.
 */
export function diffBoms(before: Bom, after: Bom, options: DiffOptions = {}): BomDiff {
  const pairing = pairComponents(before, after);
  const changed: ChangedComponent[] = [];
  for (const [from, to] of pairing.pairs) {
    const change = changeOf(from, to, options);
    if (change !== undefined) changed.push(change);
  }
  const lone = (component: Component): LoneComponent => ({
    component: labelOf(component),
    agent_authored: readAttribution(component, options) !== undefined,
  });
  const document_changes = documentChanges(before, after);
  const { added: added_dependencies, removed: removed_dependencies } = edgeChanges(before, after, pairing);
  const byComponent = <T extends { readonly component: string }>(list: T[]) =>
    list.sort((a, b) => compareTexts(a.component, b.component));
  const diff = {
    document_changes,
    added_components: byComponent(pairing.added.map(lone)),
    removed_components: byComponent(pairing.removed.map(lone)),
    changed_components: byComponent(changed),
    unchanged_count: pairing.pairs.length - changed.length,
    added_dependencies,
    removed_dependencies,
  };
  const different =
    document_changes.some(({ field }) => !DOCUMENT_ONLY.has(field)) ||
    [diff.added_components, diff.removed_components, changed, added_dependencies, removed_dependencies].some(
      (list) => list.length > 0,
    );
  return { different, ...diff };
}

function changeOf(from: Component, to: Component, options: DiffOptions): ChangedComponent | undefined {
  const changes = componentChanges(from, to);
  const attribution = attributionChange(readAttribution(from, options), readAttribution(to, options));
  if (changes.length === 0 && attribution === undefined) return undefined;
  return { component: labelOf(to), ...(attribution && { attribution }), changes };
}

function componentChanges(from: Component, to: Component): FieldChange[] {
  const changes: FieldChange[] = [];
  const compare = (field: string, before: string | undefined, after: string | undefined) => {
    if (before !== after) changes.push(fieldChange(field, before, after));
  };
  for (const field of TEXT_FIELDS) compare(field, textOf(from[field]), textOf(to[field]));
  compare('supplier', textOf(from.supplier), textOf(to.supplier));
  compare('licenses', licencesText(from), licencesText(to));
  compare('hashes', hashesText(from), hashesText(to));
  const [left, right] = [propertyTexts(from), propertyTexts(to)];
  for (const name of [...new Set([...left.keys(), ...right.keys()])].sort(compareTexts)) {
    compare(`property ${name}`, left.get(name), right.get(name));
  }
  for (const field of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (!FIELDS_APART.has(field)) compare(field, setText(from[field]), setText(to[field]));
  }
  return changes;
}

function attributionChange(
  from: Attribution | undefined,
  to: Attribution | undefined,
): ChangedComponent['attribution'] | undefined {
  if (from === undefined) return to === undefined ? undefined : 'now agent-authored';
  if (to === undefined) return 'no longer agent-authored';
  return sortedJson(from) === sortedJson(to) ? undefined : 'changed';
}

/** A member that a document has itself: every object knows a `constructor`. */
function own(holder: object, name: string): unknown {
  return Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;
}

function documentChanges(before: Bom, after: Bom): FieldChange[] {
  const changes: FieldChange[] = [];
  const compare = (field: string, from: unknown, to: unknown) => {
    if (setText(from) !== setText(to)) changes.push(fieldChange(field, setText(from), setText(to)));
  };
  const names = (a: object, b: object) => [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(compareTexts);
  for (const name of names(before, after)) {
    if (!COMPARED_APART.has(name)) compare(`/${name}`, own(before, name), own(after, name));
  }
  const { component: fromArtifact, ...from } = objectOf<Metadata>(before.metadata);
  const { component: toArtifact, ...to } = objectOf<Metadata>(after.metadata);
  for (const name of names(from, to)) {
    compare(`/metadata/${name}`, own(from, name), own(to, name));
  }
  const [fromOne, toOne] = [objectOf(fromArtifact), objectOf(toArtifact)];
  for (const name of names(fromOne, toOne)) {
    if (name === 'bom-ref' || name === 'components') continue;
    compare(`/metadata/component/${name}`, own(fromOne, name), own(toOne, name));
  }
  return changes;
}

/** Edges between components, whatever their refs and versions are: a new version has no new dependencies by itself. */
function edgeChanges(before: Bom, after: Bom, { pairs, added, removed }: ComponentPairs) {
  // One number for what is the same component in both documents.
  const numbers = { before: new Map<string, number>(), after: new Map<string, number>() };
  const labels: string[] = [];
  const enter = (from: Component | undefined, to: Component | undefined) => {
    const number = labels.push(labelOf((to ?? from) as Component)) - 1;
    if (from?.['bom-ref'] !== undefined) numbers.before.set(from['bom-ref'], number);
    if (to?.['bom-ref'] !== undefined) numbers.after.set(to['bom-ref'], number);
  };
  enter(artifactOf(before), artifactOf(after));
  for (const [from, to] of pairs) enter(from, to);
  for (const component of removed) enter(component, undefined);
  for (const component of added) enter(undefined, component);

  const unknown = new Map<string, number>();
  const edgesOf = (bom: Bom, refs: ReadonlyMap<string, number>): Set<string> => {
    const numberOf = (ref: string) => {
      const known = refs.get(ref) ?? unknown.get(ref);
      if (known !== undefined) return known;
      const number = labels.push(textOf(ref) ?? '') - 1;
      unknown.set(ref, number);
      return number;
    };
    return new Set(
      objectsOf(bom.dependencies).flatMap(({ ref, dependsOn }) =>
        Array.isArray(dependsOn) ? dependsOn.map((needed) => `${numberOf(ref)} ${numberOf(needed)}`) : [],
      ),
    );
  };
  const left = edgesOf(before, numbers.before);
  const right = edgesOf(after, numbers.after);
  const only = (edges: Set<string>, others: Set<string>) =>
    [...edges]
      .filter((edge) => !others.has(edge))
      .map((edge) => {
        const [from, to] = edge.split(' ').map((number) => labels[Number(number)]!);
        return { from: from!, to: to! };
      })
      .sort((a, b) => compareTexts(a.from, b.from) || compareTexts(a.to, b.to));
  return { added: only(right, left), removed: only(left, right) };
}

function artifactOf({ metadata }: Bom): Component {
  const component = metadata?.component;
  return typeof component === 'object' && component !== null ? component : ROOT;
}

const ROOT: Component = { type: 'application', name: '(document)' };

function labelOf(component: Component): string {
  const { purl, version } = component;
  if (typeof purl === 'string') return purl;
  return `${identityOf(component)}${version ? `@${textOf(version)}` : ''}`;
}

function licencesText({ licenses }: Component): string | undefined {
  if (!Array.isArray(licenses)) return textOf(licenses);
  return objectsOf(licenses).map(licenceText).sort(compareTexts).join(', ');
}

function licenceText({ license, expression }: LicenseChoice): string {
  return textOf(expression ?? license?.id ?? license?.name) ?? '(none)';
}

function hashesText({ hashes }: Component): string | undefined {
  if (!Array.isArray(hashes)) return textOf(hashes);
  return objectsOf<Hash>(hashes)
    .map(({ alg, content }) => `${textOf(alg)}:${textOf(content)}`)
    .sort(compareTexts)
    .join(', ');
}

/** By name; of a name that stands there several times, all values. */
function propertyTexts({ properties }: Component): Map<string, string> {
  if (!Array.isArray(properties)) return new Map(properties === undefined ? [] : [['', sortedJson(properties)]]);
  const values = new Map<string, string[]>();
  for (const { name, value } of objectsOf<Property>(properties)) {
    const key = textOf(name) ?? '';
    values.set(key, [...(values.get(key) ?? []), textOf(value) ?? '']);
  }
  return new Map([...values].map(([name, all]) => [name, all.sort(compareTexts).join(', ')]));
}

function objectOf<T extends object>(value: T | undefined): T {
  return typeof value === 'object' && value !== null ? value : ({} as T);
}

function objectsOf<T extends object>(list: readonly T[] | undefined): T[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}

/** Lists of CycloneDX are sets, but for a few whose order nobody reads. */
function setText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(sortedJson).sort(compareTexts).join(',')}]`;
  return sortedJson(value);
}

function fieldChange(field: string, before: string | undefined, after: string | undefined): FieldChange {
  return {
    field,
    ...(before !== undefined && { before: shortened(before) }),
    ...(after !== undefined && { after: shortened(after) }),
  };
}

/** A licence's text or a list of ten thousand is for the documents themselves to show. */
function shortened(text: string): string {
  return text.length > MOST_SHOWN_LENGTH ? `${text.slice(0, MOST_SHOWN_LENGTH)}…` : text;
}
