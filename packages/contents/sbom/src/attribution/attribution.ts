import type { Basis } from '@colophon/records';
import type { BasedField } from './attribution-names.ts';

/**
 * What a document says about the agent behind one component: one model for variant A, variant B and their standard
 * forms. A field that nobody stated is absent, never empty.
 * @see contract §2.5; docs/sbom-attribution.md
 */
export type Attribution = {
  readonly agent?: string;
  readonly model?: string;
  readonly model_version?: string;
  /** `sha256:<hex>`. */
  readonly prompt?: string;
  /** RFC 3339 with Z. */
  readonly generated_at?: string;
  readonly reviewed_by?: string;
  readonly reviewed_at?: string;
  /** `autonomous_agent`. */
  readonly authored_by?: string;
  /** `<package>@<version>` that the code derives from. */
  readonly source_package?: string;
  /** Decimal text between 0 and 1. */
  readonly source_similarity?: string;
  /** `inline-rewrite`. */
  readonly vendoring_method?: string;
  /**
   * What the least of its fields rests on. `verified`: each is confirmed by somebody else than the agent, and the content
   * is what the run's commit wrote; `declared`: one of them is somebody's word.
   */
  readonly basis?: 'verified' | 'declared';
  /** What each field of variant A rests on, where evidence says so; `content`, where it is what the run's commit wrote. */
  readonly field_basis?: FieldBases;
  /** Whose change the content is now: a commit, or `working tree`. Absent where it is the run's, or nobody knows. */
  readonly changed_by?: string;
  /** `sha256:<hex>` of the Sigstore bundle that supports it. */
  readonly bundle?: string;
};

/** What the fields of variant A and the content rest on. */
export type FieldBases = { readonly [field in BasedField]?: Basis };
