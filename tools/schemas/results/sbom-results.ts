import { commentsResult } from '../../../packages/contents/attribution-comments/src/agent-lines/comment-result.ts';
import { uploadResult } from '../../../packages/contents/publishing/src/dashboard/upload-result.ts';
import {
  restoredResult,
  retentionResult,
  unpublishedResult,
} from '../../../packages/contents/publishing/src/publication/publication-result.ts';
import { sbomAttributeResult } from '../../../packages/program/cli/src/commands/sbom/attribute-result.ts';
import {
  sbomSimilarityResult,
  sbomVendorResult,
  similarityIndexResult,
} from '../../../packages/program/cli/src/commands/sbom/code-results.ts';
import {
  sbomConvertResult,
  sbomCreateResult,
  sbomDiffResult,
  sbomLicensesResult,
  sbomPatchResult,
} from '../../../packages/program/cli/src/commands/sbom/document-results.ts';
import {
  sbomFetchResult,
  sbomPublishResult,
} from '../../../packages/program/cli/src/commands/sbom/publishing-results.ts';
import { sbomValidateResult } from '../../../packages/program/cli/src/validation-report/validation-result.ts';

/** sbom … */
export const SBOM_RESULTS: Readonly<Record<string, object>> = {
  'sbom create': sbomCreateResult,
  'sbom validate': sbomValidateResult,
  'sbom similarity': sbomSimilarityResult,
  'sbom similarity index': similarityIndexResult,
  'sbom vendor': sbomVendorResult,
  'sbom licenses': sbomLicensesResult,
  'sbom comments': commentsResult,
  'sbom publish': sbomPublishResult,
  'sbom fetch': sbomFetchResult,
  'sbom retention check': retentionResult,
  'sbom retention restore': restoredResult,
  'sbom unpublish': unpublishedResult,
  'sbom upload': uploadResult,
  'sbom attribute': sbomAttributeResult,
  'sbom patch': sbomPatchResult,
  'sbom diff': sbomDiffResult,
  'sbom convert': sbomConvertResult,
};
