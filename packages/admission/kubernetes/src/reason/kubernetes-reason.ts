import type { Issue } from '@colophon/json';
import type { AdmissionRequest } from '../admission-review/admission-request.ts';
import { shownText } from '../admission-review/shown-text.ts';
import { apiVersionOf } from '../covered-kind/covered-kind.ts';
import { MOST_IMAGES } from '../image-places/image-places.ts';
import type { JudgedPart } from '../scope/judged-part.ts';

const KUBERNETES_REASONS = {
  'kubernetes.review_malformed': 'This is no AdmissionReview v1.',
  'kubernetes.object_malformed': 'The images of the object cannot be found.',
  'kubernetes.kind_not_covered': 'The images of this kind are not known.',
  'kubernetes.operation_not_covered': 'This operation is not judged.',
  'kubernetes.too_many_images': 'The object has more images than are judged of one object.',
} as const;

export type KubernetesReasonCode = keyof typeof KUBERNETES_REASONS;

/** Every reason for which an object is refused before any of its images is looked at. */
export const KUBERNETES_REASON_CODES = Object.keys(KUBERNETES_REASONS) as readonly KubernetesReasonCode[];

/** Why an object is refused. */
export type KubernetesReason = {
  readonly code: KubernetesReasonCode;
  /** One sentence for a person. */
  readonly message: string;
  readonly expected?: string;
  /** Places and codes of what is wrong, or what is not covered; printable. */
  readonly found: string;
};

/** Characters (code points). */
const LONGEST_FOUND = 1_024;

/**
 * The reason to refuse a review, or an object, that cannot be read; `found` has each issue: its path, then its code.
 * @param expected - in our own words
 */
export function malformedReason(
  code: 'kubernetes.review_malformed' | 'kubernetes.object_malformed',
  issues: readonly Issue[],
  expected?: string,
): KubernetesReason {
  const found = issues.map((issue) => `${issue.path || '(root)'} ${issue.code}`).join('; ');
  return { ...reason(code, found), ...(expected !== undefined && { expected }) };
}

/** The reason to refuse a request that is not covered: by its operation, its kind or its subresource. */
export function uncoveredReason(
  { kind, subResource, operation }: AdmissionRequest,
  uncovered: Extract<JudgedPart, { outcome: 'not-covered' }>['reason'],
): KubernetesReason {
  if (uncovered === 'operation') return reason('kubernetes.operation_not_covered', operation);
  return reason('kubernetes.kind_not_covered', namedKind(apiVersionOf(kind), kind.kind, subResource));
}

/** The reason to refuse an object of a manifest whose kind is not covered: `fields` seem to be images. */
export function uncoveredKindReason(apiVersion: string, kind: string, fields: readonly string[]): KubernetesReason {
  return reason('kubernetes.kind_not_covered', `${namedKind(apiVersion, kind)} ${fields.join(', ')}`);
}

/** The reason to refuse an object that has more than `MOST_IMAGES`. */
export function tooManyImagesReason(count: number): KubernetesReason {
  return { ...reason('kubernetes.too_many_images', `${count}`), expected: `at most ${MOST_IMAGES}` };
}

function namedKind(...names: readonly (string | undefined)[]): string {
  return names.filter((name) => name !== undefined).join('/');
}

function reason(code: KubernetesReasonCode, found: string): KubernetesReason {
  return { code, message: KUBERNETES_REASONS[code], found: shownText(found, LONGEST_FOUND) };
}
