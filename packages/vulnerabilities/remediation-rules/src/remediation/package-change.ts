import { BUILD_QUALIFIERS, buildQualifier } from '@colophon/findings';
import type { FindingComponent, RemediationRecord } from '@colophon/records';
import { isOfRecord } from './record-index.ts';
import { OR_REASON, type RemediationIssue, remediationIssue } from './remediation-issue.ts';

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
  for (const qualifier of BUILD_QUALIFIERS) {
    const values = new Set(known.flatMap((one) => buildQualifier(one, qualifier) ?? []));
    const other = held.find((one) => values.size > 0 && !values.has(buildQualifier(one, qualifier) ?? [...values][0]!));
    if (other === undefined) continue;
    yield remediationIssue('remediation.package_changed', `${record.component} is there with another ${qualifier}`, {
      expected: `${[...values].sort().join(' or ')}: the same package in another version; ${OR_REASON}`,
      found: other.purl ?? other.name,
    });
  }
}
