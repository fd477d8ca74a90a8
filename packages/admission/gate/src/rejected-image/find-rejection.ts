import {
  type AdmissionReason,
  type AdmissionReasonCode,
  coveringPolicies,
  type NegativesSource,
  type NegativesView,
  type Policy,
} from '@colophon/admission';
import { parseImageReference } from '@colophon/notation';
import type { TrustMaterial } from '@colophon/sigstore';
import type { RememberedDecision } from '../decision-cache/remembered-decision.ts';
import type { ImageVerdict } from '../image-gate/judge-image.ts';
import { judgeUnread } from '../image-gate/judge-unread.ts';
import type { KeptLists } from '../kept-lists/kept-lists.ts';
import { sourceOf } from '../standing-negatives/negatives-views.ts';

/** Whether an image was rejected, as far as that can be known. */
export type FoundRejection =
  | { readonly kind: 'rejected'; readonly reasons: readonly AdmissionReason[] }
  | { readonly kind: 'not-rejected' }
  /** A rejection may have been missed. `why` is an error, or the code of what was not seen. */
  | { readonly kind: 'undecided'; readonly why: unknown };

export type FindRejectionOptions = {
  /** An image that is named by its digest. */
  readonly reference: string;
  readonly policies: readonly Policy[];
  /** The list for policies that name none. */
  readonly defaultNegatives?: NegativesSource | undefined;
  readonly lists: Pick<KeptLists, 'view'>;
  /** The roots that the lists have to be verified under. */
  readonly trust: TrustMaterial;
  readonly now: Date;
  /** Decides about the image with what its registry has. */
  readonly decide: () => Promise<RememberedDecision>;
};

/** Reasons by which an image is rejected, and not merely without evidence. */
const REJECTIONS: ReadonlySet<AdmissionReasonCode> = new Set([
  'admission.review_rejected',
  'admission.run_not_approved',
  'admission.verdict_failed',
]);

/** The reason that stops a decision before any policy hears its list. */
const UNHEARD = 'admission.internal';

/** What may hide a rejection. */
const HIDING: ReadonlySet<AdmissionReasonCode> = new Set([
  UNHEARD,
  'admission.too_many_signatures',
  'admission.evidence_incomplete',
  'admission.rejections_incomplete',
]);

/**
 * Finds out whether an image is rejected under policies in either mode. Where its registry was read, the decision counts: it
 * knows who took a rejection back. Otherwise the lists of its policies count alone, and whose rejection and whose withdrawal
 * counts is still the policy's question. Without the registry nobody hears what only it has: a rejection that is attached,
 * one of the commit alone, and an approval that takes a listed one back. Never throws.
 */
export async function findRejection(options: FindRejectionOptions): Promise<FoundRejection> {
  const { reference, decide } = options;
  const policies = coveringPolicies(reference, options.policies);
  if (policies.length === 0) return { kind: 'not-rejected' };
  let why: unknown;
  try {
    const verdict = await decide();
    const reasons = rejectionsIn(verdict);
    if (reasons.length > 0) return { kind: 'rejected', reasons };
    const hiding = hidingIn(verdict);
    if (hiding === undefined) return { kind: 'not-rejected' };
    if (hiding !== UNHEARD) return { kind: 'undecided', why: hiding };
    why = hiding;
  } catch (error) {
    why = error;
  }
  const reasons = await listedRejections(policies, options);
  return reasons.length > 0 ? { kind: 'rejected', reasons } : { kind: 'undecided', why };
}

async function listedRejections(
  policies: readonly Policy[],
  { reference, defaultNegatives, lists, trust, now }: FindRejectionOptions,
): Promise<AdmissionReason[]> {
  const digest = parseImageReference(reference)?.digest;
  if (digest === undefined) return [];
  const views = new Map<Policy, NegativesView>();
  for (const policy of policies) views.set(policy, await lists.view(sourceOf(policy, defaultNegatives), trust));
  const negatives = (policy: Policy) => views.get(policy) as NegativesView;
  return rejectionsIn(judgeUnread({ reference, digest, incomplete: [] }, { policies, negatives, now }));
}

/** What a policy in audit mode heard is a warning. */
function rejectionsIn({ reasons, warnings }: Pick<ImageVerdict, 'reasons' | 'warnings'>): AdmissionReason[] {
  return [...reasons, ...warnings].filter(({ code }) => REJECTIONS.has(code));
}

/** The gravest of what may hide a rejection; also where an exception excuses it. */
function hidingIn({ reasons, warnings, excused }: RememberedDecision): AdmissionReasonCode | undefined {
  const codes = new Set([...[...reasons, ...warnings].map(({ code }) => code), ...excused]);
  return [...HIDING].find((code) => codes.has(code));
}
