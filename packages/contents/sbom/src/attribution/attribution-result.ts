import { alsoHaving, fieldBasis, having, oneOf, string } from '@colophon/records/result';

/** What a document says about the agent behind one component, but for what that rests on. */
export const attributionFacts = {
  agent: string('its name'),
  model: string('its model'),
  model_version: string('of the model'),
  prompt: string('sha256:… of the prompt'),
  generated_at: string('RFC 3339'),
  reviewed_by: string('who reviewed it'),
  reviewed_at: string('RFC 3339'),
  authored_by: string('autonomous_agent'),
  source_package: string('package@version that the code derives from'),
  source_similarity: string('decimal text between 0 and 1'),
  vendoring_method: string('inline-rewrite'),
  changed_by: string('whose change the content is now: a commit, or working tree'),
} as const;

/** What it rests on. */
export const attributionSupport = {
  basis: oneOf('what the least of its fields rests on', ['verified', 'declared']),
  field_basis: fieldBasis,
  bundle: string('sha256:… of the Sigstore bundle'),
} as const;

/** The attribution of a component, as the document has it. */
export const attribution = alsoHaving(having('the attribution of a component, as the document has it', {}), {
  ...attributionFacts,
  ...attributionSupport,
});
