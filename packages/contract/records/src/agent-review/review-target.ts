/** What somebody reviews. */
export const REVIEW_TARGET_KINDS = ['image', 'file', 'commit'] as const;
export type ReviewTargetKind = (typeof REVIEW_TARGET_KINDS)[number];

/** What one review is about: the digest that was named and looked at. */
export type ReviewTarget = {
  readonly kind: ReviewTargetKind;
  /** `sha256:<64 hex>` of an image or a file, `gitCommit:<40 or 64 hex>` of a commit. */
  readonly digest: string;
};

/** A manifest of an index, and what it runs on, e.g. `linux/arm64/v8`; `unknown/unknown` where the index does not say. */
export type ReviewedPlatform = { readonly digest: string; readonly platform: string };

/** Manifests of one index that one review may name: as many as a rejection may name. */
export const MOST_PLATFORMS = 1_000;

export const TARGET_DIGEST_PATTERN = '^(?:sha256:[0-9a-f]{64}|gitCommit:(?:[0-9a-f]{40}|[0-9a-f]{64}))$';
export const PLATFORM_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,63}){1,2}$';
