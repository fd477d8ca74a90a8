import { decoded, distributionName, parsePackageUrl, splitPackageUrl } from '@colophon/notation';
import type { FindingComponent } from '@colophon/records';
import { identifyComponent, identifyingQualifiers, purlQualifier } from './component-identity.ts';

/** Qualifiers that say which build of a package it is: each of them has its own fixes. */
export const BUILD_QUALIFIERS = ['distro', 'arch', 'os', 'platform', 'classifier', 'type'] as const;

/** One of them, in one spelling: a distribution's point releases are one, since its advisories are. */
export function buildQualifier(component: FindingComponent, qualifier: string): string | undefined {
  const value = purlQualifier(component, qualifier)?.toLowerCase();
  if (qualifier !== 'distro' || value === undefined) return value;
  // Some generators write the number alone: its distribution is the namespace.
  const [, namespace = ''] = (identifyComponent(component).package ?? '').split('/');
  return releaseOf(/^\d/.test(value) ? `${namespace}-${value}` : value);
}

/** Distributions whose releases have two numbers; of the others the first number is the release. */
const TWO_NUMBERS = /^(?:alpine|ubuntu|sles|suse|opensuse|mariner|azurelinux)\b/;

/** `debian-12` of `debian-12.5`, `alpine-3.19` of `alpine-3.19.1`. */
function releaseOf(distro: string): string {
  const [, name = distro, numbers = ''] = /^(.*?)-(\d+(?:\.\d+)*)/.exec(distro) ?? [];
  const called = distributionName(name);
  const kept = numbers.split('.').slice(0, TWO_NUMBERS.test(distro) ? 2 : 1);
  return numbers === '' ? distro : `${called}-${kept.join('.')}`;
}

/**
 * A component that stands for several builds of one package: without the qualifiers and the subpath in which they differ as
 * statements compare them, letter by letter, so that what is said of one build is said of none of the others. One that does
 * not say which build it is differs from none. It stays the same package in the same version.
 */
export function ofAllBuilds(component: FindingComponent, builds: readonly FindingComponent[]): FindingComponent {
  const own = partsOf(component);
  if (own === undefined) return component;
  const said = new Map<string, Set<string>>();
  for (const build of builds) {
    for (const [key, value] of partsOf(build)?.parts ?? []) {
      const known = said.get(key);
      if (known === undefined) said.set(key, new Set([value]));
      else known.add(value);
    }
  }
  const differs = (key: string) => (said.get(key)?.size ?? 0) > 1;
  if (![...own.parts.keys()].some(differs)) return component;
  const identifying = new Set(identifyingQualifiers(component));
  const kept = own.qualifiers.filter(([key, , value]) => {
    // Of one that says which package it is, the first counts.
    return !differs(key) || (value !== '' && identifying.delete(key));
  });
  const qualifiers = kept.map(([, text]) => text).join('&');
  const subpath = own.subpath === undefined || differs('#') ? '' : `#${own.subpath}`;
  return { ...component, purl: `${own.start}${qualifiers === '' ? '' : `?${qualifiers}`}${subpath}` };
}

type PurlParts = {
  /** Up to the qualifiers. */
  readonly start: string;
  readonly qualifiers: ReadonlyArray<readonly [key: string, text: string, value: string]>;
  readonly subpath: string | undefined;
  /** What the qualifiers say, by key, all values of one that stands there twice; the subpath under `#`. */
  readonly parts: ReadonlyMap<string, string>;
};

/** Also of keys that somebody escaped: no statement finds those, but for one that has the same letters. */
function partsOf(component: FindingComponent): PurlParts | undefined {
  if (component.purl === undefined) return undefined;
  const purl = component.purl.trim();
  const parsed = parsePackageUrl(purl);
  if (parsed === undefined) return undefined;
  const split = splitPackageUrl(purl)!;
  const texts = split.qualifiers?.split('&') ?? [];
  const qualifiers = parsed.qualifiers.map(([key, value], at) => {
    return [decoded(key).toLowerCase(), texts[at] ?? '', value] as const;
  });
  const parts = new Map<string, string>();
  for (const [key, , value] of qualifiers) {
    const before = parts.get(key);
    // An empty one is as good as none.
    if (value !== '') parts.set(key, before === undefined ? value : `${before}\0${value}`);
  }
  if (parsed.subpath.length > 0) parts.set('#', parsed.subpath.join('/'));
  return { start: purl.split(/[?#]/, 1)[0]!, qualifiers, parts, subpath: split.subpath };
}
