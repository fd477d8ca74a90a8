import { type AdmissionReason, type AdmissionReasonCode, decideAdmission, type Policy } from '@colophon/admission';
import type { TrustMaterial } from '@colophon/sigstore';
import { explainPack } from '../pack/explain-pack.ts';
import type { OpenedPack } from '../pack/open-pack.ts';
import { writtenNegatives } from '../standing-negatives/written-negatives.ts';
import type { ExpectedDecision } from './parse-policy-case.ts';
import type { CASE_DIFFERENCE_CODES, CaseDifference } from './policy-case-issue.ts';
import type { EvidenceFacts } from './written-evidence.ts';

/** What was decided, as far as a case can expect it; codes are sorted. */
export type DecidedCase = {
  readonly decision: ExpectedDecision['decision'];
  readonly reasons: readonly AdmissionReasonCode[];
  readonly warnings: readonly AdmissionReasonCode[];
  readonly valid_until?: string;
};

/** The same, with what stood behind each code. */
export type DecidedCaseInFull = DecidedCase & { readonly findings: readonly AdmissionReason[] };

/** Decides about evidence that is written out, as `decideAdmission` decides. Asks nobody and reads no clock. */
export function decideWrittenCase(facts: EvidenceFacts, policies: readonly Policy[]): DecidedCaseInFull {
  const { now, negatives, ...evidence } = facts;
  const nowSeconds = now.getTime() / 1000;
  return decided(decideAdmission({ ...evidence, policies, negatives: writtenNegatives(negatives, now), nowSeconds }));
}

/**
 * Decides about a pack under the given roots, as `colophon verify --offline` does.
 * @param now when it is decided; when the pack says that it was made, where absent
 * @throws PackError `pack.malformed` for an image index that is not whole
 */
export async function decidePackCase(
  pack: OpenedPack,
  {
    trust,
    policies,
    now,
  }: { readonly trust: TrustMaterial; readonly policies: readonly Policy[]; readonly now?: Date },
): Promise<DecidedCaseInFull> {
  const { admission } = await explainPack(pack, { trust, policies, now: now ?? new Date(pack.createdAt) });
  if (admission === undefined) throw new TypeError('without a policy nothing is decided');
  return decided(admission as Parameters<typeof decided>[0]);
}

function decided({
  admitted,
  reasons,
  warnings,
  valid_until,
}: {
  readonly admitted: boolean;
  readonly reasons: readonly AdmissionReason[];
  readonly warnings: readonly AdmissionReason[];
  readonly valid_until?: string | undefined;
}): DecidedCaseInFull {
  return {
    decision: admitted ? 'admitted' : 'refused',
    reasons: sorted(reasons.map(({ code }) => code)),
    warnings: sorted(warnings.map(({ code }) => code)),
    ...(valid_until === undefined ? {} : { valid_until }),
    findings: [...reasons, ...warnings],
  };
}

/**
 * Every way in which a decision differs from what a case expects; codes count as a set. Behind the codes that nobody
 * expected stands each finding with them.
 */
export function caseDifferences(expected: ExpectedDecision, found: DecidedCaseInFull): CaseDifference[] {
  const differences: CaseDifference[] = [];
  const compare = (code: (typeof CASE_DIFFERENCE_CODES)[number], message: string, wanted: string, is: string) => {
    if (wanted !== is) differences.push({ code, message, expected: wanted, found: is });
  };
  const explain = (wanted: readonly AdmissionReasonCode[], codes: readonly AdmissionReasonCode[]) => {
    const unexpected = codes.filter((code) => !wanted.includes(code));
    for (const { policy: _, ...finding } of found.findings) {
      if (unexpected.includes(finding.code)) differences.push(finding);
    }
  };
  compare(
    'policy_case.decision_differs',
    'the decision differs from what the case expects',
    expected.decision,
    found.decision,
  );
  compare(
    'policy_case.reasons_differ',
    'the reasons differ from what the case expects',
    shown(expected.reasons),
    shown(found.reasons),
  );
  explain(expected.reasons, found.reasons);
  if (expected.warnings !== undefined) {
    compare(
      'policy_case.warnings_differ',
      'the warnings differ from what the case expects',
      shown(expected.warnings),
      shown(found.warnings),
    );
    explain(expected.warnings, found.warnings);
  }
  if (expected.valid_until !== undefined && found.decision === 'admitted') {
    const message = 'the time until which the admission holds differs from what the case expects';
    compare('policy_case.valid_until_differs', message, expected.valid_until, found.valid_until ?? 'no end');
  }
  return differences;
}

function shown(codes: readonly AdmissionReasonCode[]): string {
  return codes.length === 0 ? 'none' : sorted(codes).join(', ');
}

function sorted(codes: readonly AdmissionReasonCode[]): AdmissionReasonCode[] {
  return [...new Set(codes)].sort();
}
