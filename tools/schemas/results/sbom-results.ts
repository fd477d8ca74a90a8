import { sbomAttributeResult } from '../../../packages/cli/src/commands/sbom/attribute-result.ts';
import {
  sbomSimilarityResult,
  sbomVendorResult,
  similarityIndexResult,
} from '../../../packages/cli/src/commands/sbom/code-results.ts';
import {
  sbomConvertResult,
  sbomCreateResult,
  sbomDiffResult,
  sbomLicensesResult,
  sbomPatchResult,
} from '../../../packages/cli/src/commands/sbom/document-results.ts';
import { sbomFetchResult, sbomPublishResult } from '../../../packages/cli/src/commands/sbom/publishing-results.ts';
import { sbomValidateResult } from '../../../packages/cli/src/validation-report/validation-result.ts';
import { uploadResult } from '../../../packages/feeds/src/dashboard/upload-result.ts';
import {
  restoredResult,
  retentionResult,
  unpublishedResult,
} from '../../../packages/feeds/src/publication/publication-result.ts';
import { commentsResult } from '../../../packages/forge/src/agent-lines/comment-result.ts';

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
