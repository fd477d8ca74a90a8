import { sbomValidateResult } from '../../packages/cli/src/validation-report/validation-result.ts';

/** sbom … */
export const SBOM_RESULTS: Readonly<Record<string, object>> = {
  'sbom validate': sbomValidateResult,
};

/** Commands whose result has no schema yet. */
export const SBOM_PENDING: readonly string[] = [
  'sbom create',
  'sbom patch',
  'sbom diff',
  'sbom attribute',
  'sbom convert',
  'sbom similarity index',
  'sbom vendor',
  'sbom licenses',
  'sbom comments',
  'sbom publish',
  'sbom fetch',
  'sbom retention check',
  'sbom retention restore',
  'sbom unpublish',
  'sbom upload',
];
