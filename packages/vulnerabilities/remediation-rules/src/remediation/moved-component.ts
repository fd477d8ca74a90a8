import { identifyComponent } from '@colophon/findings';
import type { FindingComponent, RemediationRecord } from '@colophon/records';
import { componentOf, isOfRecord, plainVersion, seenVersions } from './record-index.ts';
import { versionStanding } from './version-standing.ts';

/**
 * Components that are called as the vulnerable one, in a version in which that was vulnerable, under another package URL:
 * a scanner that looks packages up by their URLs is silent about what was merely written down in another way. What was
 * in the SBOM before as well is another thing of that name.
 * @param before everything in the SBOMs in which it was found
 */
export function movedComponents(
  record: RemediationRecord,
  components: readonly FindingComponent[],
  before: readonly FindingComponent[],
): readonly FindingComponent[] {
  const { names } = identifyComponent(componentOf(record));
  // The names first: hardly any of thousands is called so, and to order versions takes longest.
  const called = components.filter(
    (one) => identifyComponent(one).names.some((name) => names.includes(name)) && !isOfRecord(record, one),
  );
  if (called.length === 0) return [];
  const vulnerable = seenVersions(record);
  const known = new Set(before.map(keyOf));
  return called.filter(
    (one) =>
      (vulnerable.has(plainVersion(one)) || ['same', 'alike'].includes(versionStanding(record, one))) &&
      !known.has(keyOf(one)),
  );
}

function keyOf(component: FindingComponent): string {
  const { package: ofPurl, version } = identifyComponent(component);
  return `${ofPurl}\n${version}`;
}
