import { identifyComponent, purlQualifier } from '@colophon/findings';
import { distributionName } from '@colophon/notation';
import type { FindingComponent, RemediationRecord } from '@colophon/records';
import { isOfRecord } from './record-index.ts';
import { OR_REASON, type RemediationIssue, remediationIssue } from './remediation-issue.ts';

/** Qualifiers that say which build of a package it is: each of them has its own fixes. */
const TELLING = ['distro', 'arch', 'os', 'platform', 'classifier', 'type'];

/**
 * Components that are in the newer SBOM as another build than before: of another distribution, for another machine.
 * A distribution's point releases are one, since its advisories are.
 * @param before everything in the SBOMs in which it was found; without it the package URL that scanners gave counts
 */
export function* packageChangeIssues(
  record: RemediationRecord,
  held: readonly FindingComponent[],
  before: readonly FindingComponent[],
): Generator<RemediationIssue> {
  const same = before.filter((one) => isOfRecord(record, one));
  const known =
    same.length > 0 ? same : [{ name: record.component, ...(record.purl === null ? {} : { purl: record.purl }) }];
  for (const qualifier of TELLING) {
    const values = new Set(known.flatMap((one) => qualifierOf(one, qualifier) ?? []));
    const other = held.find((one) => values.size > 0 && !values.has(qualifierOf(one, qualifier) ?? [...values][0]!));
    if (other === undefined) continue;
    yield remediationIssue('remediation.package_changed', `${record.component} is there with another ${qualifier}`, {
      expected: `${[...values].sort().join(' or ')}: the same package in another version; ${OR_REASON}`,
      found: other.purl ?? other.name,
    });
  }
}

function qualifierOf(component: FindingComponent, qualifier: string): string | undefined {
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
