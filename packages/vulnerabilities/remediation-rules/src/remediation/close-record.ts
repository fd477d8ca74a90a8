import { formatInstant, parseInstant } from '@colophon/notation';
import type { ClosingSignature, EvidenceReference, RemediationRecord } from '@colophon/records';
import { alreadyClosed, textIssues } from './change-record.ts';
import { withEvidence } from './record-evidence.ts';
import { type Actor, type RecordPatch, withEvent } from './record-history.ts';
import { type RemediationResult, withoutOverridden } from './remediation-issue.ts';
import { ownershipIssues, type RemediationPolicy } from './remediation-policy.ts';
import { type RescanProof, rescanIssues, rescanPatch } from './rescan-proof.ts';
import { type StatementProof, statementIssues, statementPatch } from './statement-proof.ts';

/** What a record is closed by: a newer SBOM whose scan is silent, or a signed statement. */
export type ClosingProof = RescanProof | StatementProof;

export type ClosingContext = Actor & {
  readonly policy: RemediationPolicy;
  /** The other records of the product: those of the same vulnerability, and every open one. */
  readonly others: readonly RemediationRecord[];
  /** Why, in the words of who closes it; sets aside what the word of a person may (`OVERRIDABLE_CODES`). */
  readonly reason?: string;
  /** The documents of the proof as they are kept. */
  readonly evidence: readonly EvidenceReference[];
};

/**
 * The record closed as `fixed` or `not_affected` (contract §3), or every condition that is not met. There is no other
 * way to either state.
 */
export function closeRecord(
  record: RemediationRecord,
  proof: ClosingProof,
  context: ClosingContext,
): RemediationResult<RemediationRecord> {
  if (record.state === 'closed') {
    return { ok: false, issues: [alreadyClosed(record, 'the record is closed already')] };
  }
  const { at, by, policy, reason } = context;
  const { issues, overrides } = withoutOverridden(
    [
      ...textIssues(context),
      ...ownershipIssues({ owner: record.owner, trackingId: record.tracking_id }, 'closing', policy),
      ...(proof.kind === 'rescan' ? rescanIssues(record, proof, context) : statementIssues(record, proof, context)),
    ],
    reason,
  );
  if (issues.length > 0) return { ok: false, issues };
  const shown: RecordPatch & { readonly why: string } =
    proof.kind === 'rescan' ? rescanPatch(record, proof) : statementPatch(record, proof, context);
  const { why, ...patch } = shown;
  return {
    ok: true,
    value: withEvent(
      record,
      {
        ...patch,
        state: 'closed',
        closed_at: formatInstant(parseInstant(at)!),
        evidence: withEvidence(record.evidence, context.evidence),
      },
      { at, by, action: 'closed', reason: reason === undefined ? why : `${reason}; ${why}`, overrides },
    ),
  };
}

/** What is signed when a record is closed: the record without its signature. */
export function signedPart(record: RemediationRecord): RemediationRecord {
  return { ...record, closing_signature: null };
}

/** The closed record with the signature over it. */
export function withClosingSignature(record: RemediationRecord, signature: ClosingSignature): RemediationRecord {
  return { ...record, closing_signature: signature };
}
