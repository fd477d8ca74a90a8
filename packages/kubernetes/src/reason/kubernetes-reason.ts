/** Every reason for which an object is refused before any of its images is looked at. */
export const KUBERNETES_REASON_CODES = [
  'kubernetes.review_malformed',
  'kubernetes.object_malformed',
  'kubernetes.kind_not_covered',
  'kubernetes.operation_not_covered',
] as const;
export type KubernetesReasonCode = (typeof KUBERNETES_REASON_CODES)[number];

/** Why an object is refused. */
export type KubernetesReason = {
  readonly code: KubernetesReasonCode;
  /** One sentence for a person. */
  readonly message: string;
  /** Where in the object, or what stands there; text from outside. */
  readonly found?: string;
};
