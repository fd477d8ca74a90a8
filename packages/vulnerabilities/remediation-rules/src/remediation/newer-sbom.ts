import { parseInstant } from '@colophon/notation';
import type { RecordedSbom, RemediationRecord, ScannedSbom } from '@colophon/records';
import { type RemediationIssue, remediationIssue } from './remediation-issue.ts';

/**
 * Everything that keeps an SBOM from being a newer one of the same artifact: another name, the same serial number in no
 * higher version, a time that is not later, or nothing that says so (contract §2.5, §9).
 */
export function* newerSbomIssues(
  record: RemediationRecord,
  sbom: ScannedSbom,
  at: string,
): Generator<RemediationIssue> {
  if (sbom.artifact !== record.product) {
    yield remediationIssue(
      'remediation.sbom_other_artifact',
      'the SBOM is of another artifact, by its metadata.component.name',
      {
        expected: record.product,
        found: sbom.artifact ?? 'an SBOM that names none',
      },
    );
  }
  if (sbom.serialNumber === undefined || sbom.timestamp === undefined) {
    yield remediationIssue('remediation.sbom_incomplete', 'the SBOM does not say which one it is, or of when', {
      expected: 'serialNumber and metadata.timestamp',
      found: sbom.serialNumber ?? sbom.timestamp ?? 'neither',
      next: 'colophon sbom create, which writes both',
    });
  } else if (parseInstant(sbom.timestamp)! > parseInstant(at)!) {
    yield remediationIssue('remediation.sbom_in_future', 'the SBOM is dated in the future', {
      expected: `at most ${at}`,
      found: sbom.timestamp,
    });
  }
  const before = record.sightings.flatMap(({ sbom: seen }) => seen ?? []);
  if (before.length === 0) {
    yield remediationIssue('remediation.sbom_unknown', 'the scan that found it names no SBOM to be newer than', {
      expected: 'the SBOM that was scanned first',
      next: 'colophon remediation open with the first scan and --sbom',
    });
  }
  for (const seen of new Map(before.map((one) => [one.digest, one])).values()) yield* orderIssues(seen, sbom);
}

function* orderIssues(seen: RecordedSbom, sbom: ScannedSbom): Generator<RemediationIssue> {
  // Hex digits of a UUID are the same in either case (RFC 9562, 4).
  const isSame = seen.serial_number !== null && sbom.serialNumber?.toLowerCase() === seen.serial_number.toLowerCase();
  if (sbom.digest === seen.digest || (isSame && (sbom.version ?? 1) <= (seen.version ?? 1))) {
    yield remediationIssue(
      'remediation.sbom_not_newer',
      'the SBOM is the one in which it was found, or no later version of it',
      {
        expected: `another serialNumber, or a version above ${seen.version ?? 1}`,
        found: `${sbom.serialNumber ?? 'no serialNumber'}, version ${sbom.version ?? 1}`,
        next: ANEW,
      },
    );
  }
  if (sbom.timestamp === undefined) return;
  if (seen.timestamp === null) {
    yield remediationIssue('remediation.sbom_unknown', 'the SBOM in which it was found has no time to be later than', {
      expected: 'metadata.timestamp',
      next: 'colophon remediation open with a scan of an SBOM that has one',
    });
  } else if (parseInstant(sbom.timestamp)! <= parseInstant(seen.timestamp)!) {
    yield remediationIssue('remediation.sbom_not_later', 'the SBOM is not later than the one in which it was found', {
      expected: `after ${seen.timestamp}`,
      found: sbom.timestamp,
      next: ANEW,
    });
  }
}

const ANEW = 'colophon sbom create, of the build after the patch';
