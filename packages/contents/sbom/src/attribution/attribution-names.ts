/**
 * The fields of variant A by their names in `x-ai-generated`; in the standard form each is the property
 * `colophon:ai:<field>`.
 * @see contract §2.5
 */
export const AI_FIELDS = [
  'agent',
  'model',
  'model_version',
  'prompt',
  'generated_at',
  'reviewed_by',
  'reviewed_at',
] as const;
export type AiField = (typeof AI_FIELDS)[number];

/** Variant A as the contract writes it: an extension object, which no official schema allows. */
export const AI_EXTENSION = 'x-ai-generated';

/** Of the names of the properties that hold variant A in its standard form. */
export const AI_PREFIX = 'colophon:ai:';

/** Properties that say what a mark rests on; no shape of the contract has a place for them. */
export const BASIS_PROPERTY = `${AI_PREFIX}basis`;
export const BUNDLE_PROPERTY = `${AI_PREFIX}bundle`;

/** Whose change the content of a mark is now, where that is not the run's: a commit, or the working tree. */
export const CHANGED_PROPERTY = `${AI_PREFIX}changed_by`;

/** What a mark is about, besides its fields: the content of the component. */
export const CONTENT = 'content' as const;
/** What a basis is said of. */
export const BASED_FIELDS = [...AI_FIELDS, CONTENT] as const;
export type BasedField = (typeof BASED_FIELDS)[number];

/** Of the names of the properties that say what each of these rests on: `colophon:ai:basis:<field>`. */
export const FIELD_BASIS_PREFIX = `${BASIS_PROPERTY}:`;

/** A whole extension that is no object with members, as JSON: kept for the way back, and no attribution. */
export const VALUE_PROPERTY = `${AI_PREFIX}value`;

/** Variant B: the field that each name holds after its namespace, as in `vendor:agent-id`. */
export const VENDOR_FIELDS = {
  'authored-by': 'authored_by',
  'agent-id': 'agent',
  'agent-model': 'model',
  'source-package': 'source_package',
  'source-similarity': 'source_similarity',
  'vendoring-method': 'vendoring_method',
} as const;
export type VendorName = keyof typeof VENDOR_FIELDS;

export const DEFAULT_NAMESPACE = 'vendor';

/** What `vendor:authored-by` says of code that an agent wrote. */
export const AUTONOMOUS_AGENT = 'autonomous_agent';

/** The contract's technique of comparing syntax trees, and the one of the official list that stands for it. */
export const SPEC_TECHNIQUE = 'ast-similarity';
export const STANDARD_TECHNIQUE = 'ast-fingerprint';
/** Property of a component whose `ast-fingerprint` is meant as the contract's technique. */
export const TECHNIQUE_PROPERTY = 'colophon:evidence-technique';
