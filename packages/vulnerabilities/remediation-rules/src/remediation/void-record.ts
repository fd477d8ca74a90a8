import { withdrawalOf } from '@colophon/findings';
import { formatInstant, parseInstant } from '@colophon/notation';
import type { Finding, RemediationRecord, VoidCause } from '@colophon/records';
import { alreadyClosed, textIssues } from './change-record.ts';
import { evidenceOf } from './record-evidence.ts';
import { type Actor, withEvent } from './record-history.ts';
import type { RemediationResult } from './remediation-issue.ts';
import type { KeptScan } from './sighting.ts';

/** Why a record never should have been, in the words of who says so. */
export type Voiding = Actor & { readonly cause: Exclude<VoidCause, 'joined'>; readonly reason: string };

/**
 * The record set aside: it was opened by mistake, or its advisory was withdrawn. It stays with its history and is counted
 * nowhere. Its clock is not stopped: a later scan that lists it opens it again with its old discovery.
 */
export function voidRecord(
  record: RemediationRecord,
  { at, by, cause, reason }: Voiding,
): RemediationResult<RemediationRecord> {
  const issues = record.state === 'closed' ? [alreadyClosed(record)] : [...textIssues({ reason })];
  if (issues.length > 0) return { ok: false, issues };
  const patch = {
    state: 'closed',
    closed_at: formatInstant(parseInstant(at)!),
    resolution: { kind: 'void', cause },
  } as const;
  return { ok: true, value: withEvent(record, patch, { at, by, action: 'voided', reason }) };
}

/** Whether a record was set aside, and is now. */
export function isVoid({ resolution }: Pick<RemediationRecord, 'resolution'>): boolean {
  return resolution?.kind === 'void';
}

/**
 * Why a voided record does not stay so: a scan made after that lists it, and does not call the advisory withdrawn.
 * Undefined where the scan is older, or one that the record knows.
 */
export function listedAfterVoid(
  known: RemediationRecord,
  findings: readonly Finding[],
  scan: KeptScan,
): string | undefined {
  const { scannedAt, scanner } = scan.record;
  const isKnown = evidenceOf(known, 'scan').includes(scan.digest);
  const isLater = scannedAt === undefined ? !isKnown : parseInstant(scannedAt)! > parseInstant(known.closed_at!)!;
  if (!isLater || findings.every((one) => withdrawalOf(one, scanner.name) !== undefined)) return undefined;
  return `listed by ${scanner.name} after it was voided`;
}
