import type { DecisionReason } from '../reason/webhook-reason.ts';

/** What was decided about one image of an object. */
export type DecidedImage = {
  /** Where it stands, e.g. `spec.containers[web]`. */
  readonly place: string;
  /** As it stands in the object. */
  readonly image: string;
  /** `sha256:<hex>`; absent where nobody could say. */
  readonly digest?: string;
  readonly admitted: boolean;
  readonly reasons: readonly DecisionReason[];
  readonly warnings: readonly DecisionReason[];
  /** Names of the policies that cover it. */
  readonly policies: readonly string[];
  /** Certificate subjects by which it passes. */
  readonly agents: readonly string[];
  readonly reviewers: readonly string[];
  readonly exception?: { readonly owner: string; readonly reason: string; readonly until: string };
  readonly valid_until?: string;
  readonly cached: boolean;
};

/** One decision of the webhook: a line of its log. */
export type DecisionRecord = {
  /** `uid` of the AdmissionReview. */
  readonly id: string;
  /** RFC 3339 with Z. */
  readonly time: string;
  readonly webhook: 'validate' | 'mutate';
  readonly operation: string;
  readonly object: {
    readonly kind: string;
    readonly namespace: string;
    /** What the name will begin with, where the object has none yet. */
    readonly name: string;
    /** The controller that makes it, `Kind/name`. */
    readonly owner?: string;
  };
  /** As the API server names who asked. */
  readonly user?: string;
  readonly mode: 'enforce' | 'audit';
  /** By the policies, also in audit mode. */
  readonly admitted: boolean;
  /** Whether a refusal keeps the object out. */
  readonly enforced: boolean;
  /** Of the object itself, where its images were not even looked at. */
  readonly reasons: readonly DecisionReason[];
  readonly images: readonly DecidedImage[];
};
