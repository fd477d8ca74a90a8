import { compareTexts, splitPackageUrl } from '@colophon/notation';
import type { Bom, Component } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';
import { textOf } from './sorted-json.ts';

/** Which component of one document is which of the other. */
export type ComponentPairs = {
  readonly pairs: ReadonlyArray<readonly [before: Component, after: Component]>;
  readonly removed: readonly Component[];
  readonly added: readonly Component[];
};

/**
 * Finds for every component of a document, nested ones too, the same one of another: by purl without version and
 * qualifiers, else by group and name; what is left, by group, name and version where one has no purl, then by `bom-ref`. Of several with one name those that are equal belong
 * together, then those of one version, then the rest from the lowest version up. The documented artifact is left out.
 * Time is linear, but for sorting the versions of one name.
 */
export function pairComponents(before: Bom, after: Bom): ComponentPairs {
  const groups = new Map<string, { before: Component[]; after: Component[] }>();
  const put = (side: 'before' | 'after', bom: Bom) => {
    for (const { component, path } of walkComponents(bom)) {
      if (path === '/metadata/component') continue;
      const key = identityOf(component);
      const group = groups.get(key) ?? { before: [], after: [] };
      groups.set(key, group);
      group[side].push(component);
    }
  };
  put('before', before);
  put('after', after);

  const pairs: Array<readonly [Component, Component]> = [];
  let removed: Component[] = [];
  let added: Component[] = [];
  for (const group of groups.values()) {
    let left = group.before;
    let right = group.after;
    for (const keyOf of [exactKey, versionKey]) {
      if (left.length + right.length === 2 && left.length === 1) break;
      [left, right] = matchBy(keyOf, left, right, pairs);
    }
    left = [...left].sort(byVersion);
    right = [...right].sort(byVersion);
    const common = Math.min(left.length, right.length);
    for (let i = 0; i < common; i++) pairs.push([left[i]!, right[i]!]);
    removed.push(...left.slice(common));
    added.push(...right.slice(common));
  }
  // One generator gives a purl where another has none.
  const isNamed = ({ purl }: Component) => purl !== undefined;
  const isNameless = ({ purl }: Component) => purl === undefined;
  const [lostNameless, afterThem] = matchBy(nameKey, removed.filter(isNameless), added, pairs);
  removed = [...removed.filter(isNamed), ...lostNameless];
  const [left, newNameless] = matchBy(nameKey, removed, afterThem.filter(isNameless), pairs);
  added = [...afterThem.filter(isNamed), ...newNameless];
  [removed, added] = matchBy((component) => component['bom-ref'], left, added, pairs);
  return { pairs, removed, added };
}

/** What a component is called whatever its version. */
export function identityOf(component: Component): string {
  const { purl, group, name } = component;
  const parts = typeof purl === 'string' ? splitPackageUrl(purl) : undefined;
  if (parts !== undefined) return `pkg:${parts.type.toLowerCase()}/${parts.names}`;
  return `${group ? `${textOf(group)}/` : ''}${textOf(name)}`;
}

function exactKey({ purl, version, 'bom-ref': ref }: Component): string {
  return [version, purl, ref].map(textOf).join(' ');
}

function nameKey({ group, name, version }: Component): string {
  return [group, name, version].map(textOf).join(' ');
}

function versionKey({ version }: Component): string {
  return textOf(version) ?? '';
}

/** Pairs what has the same key, in order; returns what is left of both. */
function matchBy(
  keyOf: (component: Component) => string | undefined,
  before: readonly Component[],
  after: readonly Component[],
  pairs: Array<readonly [Component, Component]>,
): [Component[], Component[]] {
  const open = new Map<string, Component[]>();
  for (const component of [...after].reverse()) {
    const key = keyOf(component);
    if (key === undefined) continue;
    const list = open.get(key);
    if (list === undefined) open.set(key, [component]);
    else list.push(component);
  }
  const matched = new Set<Component>();
  const left = before.filter((component) => {
    const key = keyOf(component);
    const partner = key === undefined ? undefined : open.get(key)?.pop();
    if (partner === undefined) return true;
    matched.add(partner);
    pairs.push([component, partner]);
    return false;
  });
  return [left, after.filter((component) => !matched.has(component))];
}

/** `1.9.0` before `1.10.0`; for people's eyes, no ecosystem's own rule. */
function byVersion(a: Component, b: Component): number {
  const [left, right] = [a, b].map(({ version = '' }) => (textOf(version) as string).split(/(\d+)/));
  for (let i = 0; i < Math.min(left!.length, right!.length); i++) {
    const [x, y] = [left![i]!, right![i]!];
    const order = i % 2 === 1 ? Number(x) - Number(y) : compareTexts(x, y);
    if (order !== 0) return order;
  }
  return left!.length - right!.length;
}
