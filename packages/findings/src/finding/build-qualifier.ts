import { distributionName } from '@colophon/notation';
import type { FindingComponent } from '@colophon/records';
import { identifyComponent, purlQualifier } from './component-identity.ts';

/** Qualifiers that say which build of a package it is: each of them has its own fixes, and its own statements. */
export const BUILD_QUALIFIERS = ['distro', 'arch', 'os', 'platform', 'classifier', 'type'] as const;

/** One of them, in one spelling: a distribution's point releases are one, since its advisories are. */
export function buildQualifier(component: FindingComponent, qualifier: string): string | undefined {
  const value = purlQualifier(component, qualifier)?.toLowerCase();
  if (qualifier !== 'distro' || value === undefined) return value;
  // Some generators write the number alone: its distribution is the namespace.
  const [, namespace = ''] = identifyComponent(component).package?.split('/') ?? [];
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
 * A component that stands for several builds of one package: without the qualifiers by which they differ, so that what is
 * said of one build is said of none of the others. One that does not say which build it is differs from none.
 */
export function ofAllBuilds(component: FindingComponent, builds: readonly FindingComponent[]): FindingComponent {
  const { purl } = component;
  if (purl?.includes('?') !== true) return component;
  const differing = BUILD_QUALIFIERS.filter(
    (qualifier) => new Set(builds.flatMap((one) => buildQualifier(one, qualifier) ?? [])).size > 1,
  );
  return differing.length === 0 ? component : { ...component, purl: withoutQualifiers(purl, differing) };
}

function withoutQualifiers(purl: string, names: readonly string[]): string {
  const [, start = '', qualifiers = '', subpath = ''] = /^([^?#]*)\?([^#]*)(#.*)?$/s.exec(purl) ?? [];
  const kept = qualifiers.split('&').filter((one) => !names.includes(one.split('=')[0]?.toLowerCase() ?? ''));
  return `${start}${kept.length === 0 ? '' : `?${kept.join('&')}`}${subpath}`;
}
