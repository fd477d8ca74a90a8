/** Whose language a policy is written down in. */
export const TARGETS = ['policy-controller', 'cosign'] as const;
export type Target = (typeof TARGETS)[number];

/** What is not said in the other language, and what that does to images. */
export type Gap = {
  /** The key of the policy file, with dots; or, of a rule that every policy has, its name. */
  readonly key: string;
  /** `admits`: what this policy refuses may pass there. `refuses`: what this policy admits may be refused there. */
  readonly effect: 'admits' | 'refuses';
  readonly what: string;
};

/** A file to be written. */
export type GeneratedFile = { readonly name: string; readonly what: string; readonly content: string };

/** A policy in another language. */
export type GeneratedPolicy = {
  readonly files: readonly GeneratedFile[];
  /** First what lets more pass. */
  readonly gaps: readonly Gap[];
};
