import type { AdmissionReason } from '@colophon/admission';
import type { KubernetesReason } from '@colophon/kubernetes';

/** Why an object is refused where neither its shape nor a policy is the reason. */
export const WEBHOOK_REASON_CODES = [
  'webhook.image_not_pinned',
  'webhook.timeout',
  'webhook.internal',
  'webhook.overloaded',
  'webhook.review_too_large',
] as const;
export type WebhookReasonCode = (typeof WEBHOOK_REASON_CODES)[number];

/** One reason of a refusal, whoever found it. */
export type DecisionReason = {
  /** Of a policy, of Kubernetes, of the webhook, or of a registry that failed. */
  readonly code: AdmissionReason['code'] | KubernetesReason['code'] | WebhookReasonCode | `registry.${string}`;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  readonly policy?: string;
};
