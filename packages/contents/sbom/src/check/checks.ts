import { DEFAULT_NAMESPACE } from '../attribution/attribution-names.ts';
import type { Bom } from '../document/bom.ts';
import type { Finding } from '../validate/bom-issue.ts';
import { componentFindings } from './check-components.ts';
import { cycleFindings } from './cycle-check.ts';
import { headerFindings } from './header-check.ts';
import { referenceFindings } from './references-check.ts';

export type CheckOptions = {
  /** The namespace of variant B's properties; default `vendor`. */
  readonly namespace?: string;
};

/** What the schema cannot see, codes of which docs/errors.md tells. */
export const BOM_CHECK_CODES = [
  'sbom.serial_number_missing',
  'sbom.version_missing',
  'sbom.version_invalid',
  'sbom.timestamp_missing',
  'sbom.timestamp_not_utc',
  'sbom.lifecycles_missing',
  'sbom.tools_missing',
  'sbom.tools_legacy',
  'sbom.tool_unidentified',
  'sbom.component_missing',
  'sbom.component_version_missing',
  'sbom.supplier_missing',
  'sbom.dependencies_missing',
  'sbom.bom_ref_duplicate',
  'sbom.ref_unknown',
  'sbom.dependency_repeated',
  'sbom.dependency_cycle',
  'sbom.purl_invalid',
  'sbom.ai_field_missing',
  'sbom.ai_field_invalid',
  'sbom.ai_field_unknown',
  'sbom.ai_field_repeated',
  'sbom.ai_review_early',
  'sbom.ai_not_reviewed',
  'sbom.ai_prompt_open',
  'sbom.vendored_ref',
  'sbom.vendored_name',
  'sbom.vendored_version',
  'sbom.vendored_scope',
  'sbom.vendored_licence',
  'sbom.vendored_evidence',
  'sbom.vendored_source_missing',
] as const;

/**
 * Everything that the schema of a document cannot see. Linear; never throws, whatever the document holds, since it also
 * runs on those that their schema refuses.
 */
export function* checksOf(bom: Bom, { namespace = DEFAULT_NAMESPACE }: CheckOptions): Generator<Finding> {
  yield* headerFindings(bom);
  yield* componentFindings(bom, namespace);
  yield* referenceFindings(bom);
  yield* cycleFindings(bom);
}
