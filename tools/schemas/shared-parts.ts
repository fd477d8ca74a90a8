import { evidenceExplanation, imageAdmission } from '../../packages/admission/gate/src/result.ts';
import { POLICY_SCHEMA } from '../../packages/admission/policy/src/policy/policy-schema.ts';
import { fileComparison } from '../../packages/contents/grammars/src/result.ts';
import { admissionDecisionSchema } from '../../packages/contract/records/src/admission-decision/admission-decision-schema.ts';
import { findingSchema } from '../../packages/contract/records/src/finding/finding-schema.ts';
import { quarterlyReportSchema } from '../../packages/contract/records/src/quarterly-report/quarterly-report-schema.ts';
import { remediationRecordSchema } from '../../packages/contract/records/src/remediation-record/remediation-record-schema.ts';
import {
  bundleLogEntry,
  certificateIdentity,
  check,
  count,
  digest,
  digestHex,
  documentIssue,
  errorResult,
  fieldBasis,
  integer,
  issue,
  logEntry,
  text,
  timestamp,
} from '../../packages/contract/records/src/result/index.ts';
import { negativesPageSchema } from '../../packages/contract/records/src/standing-negatives/standing-negatives-schema.ts';
import { statementSchema } from '../../packages/contract/records/src/statement/statement-schema.ts';
import { importResult } from '../../packages/program/cli/src/commands/import/import-result.ts';
import { sbomAttributeResult } from '../../packages/program/cli/src/commands/sbom/attribute-result.ts';
import { sbomLicensesResult } from '../../packages/program/cli/src/commands/sbom/document-results.ts';
import { signedResult } from '../../packages/program/cli/src/commands/signed-result.ts';
import { verifiedImageResult } from '../../packages/program/cli/src/commands/verified-result.ts';
import { reportVerifyResult } from '../../packages/program/cli/src/report-folder/report-result.ts';
import { CONFIGURATION_SCHEMA } from '../../packages/program/server/src/configuration/configuration-schema.ts';
import { rejectedSignature } from '../../packages/signing/sigstore/src/result.ts';

const verdict = imageAdmission.properties.verdicts.items;
const explained = evidenceExplanation.properties;
const licensed = sbomLicensesResult.properties.offending.items;
const { properties: compared } = fileComparison;
const negatives = negativesPageSchema.properties;

/**
 * What several documents have in common, by the name that a client made from the schemas has for it. A part may hold
 * others; where two say the same, the first one counts.
 */
export const SHARED_PARTS: Readonly<Record<string, object>> = {
  // Values.
  Count: count,
  Digest: digest,
  DigestHex: digestHex,
  Integer: integer,
  Text: text,
  Timestamp: timestamp,
  // What is wrong.
  Error: errorResult.properties.error,
  Issue: issue,
  DocumentIssue: documentIssue,
  Reason: imageAdmission.properties.reasons.items,
  // Signatures, and what they are by.
  CertificateIdentity: certificateIdentity,
  ClaimName: CONFIGURATION_SCHEMA.properties.claims.properties.required.items,
  ClaimSource: certificateIdentity.properties.sources.properties.trigger,
  AcceptedSources: POLICY_SCHEMA.properties.sources,
  FieldBasis: fieldBasis,
  BasisSource: fieldBasis.additionalProperties.properties.source,
  LogEntry: logEntry,
  BundleLogEntry: bundleLogEntry,
  LoggedEntry: explained.log_entries.items,
  LoggedSigner: explained.log_entries.items.properties.signers.items,
  Check: check,
  SignedArtifact: signedResult.properties.signatures.items,
  CheckedSignature: verifiedImageResult.properties.signatures.items,
  RejectedSignature: rejectedSignature,
  SubjectDigest: statementSchema.properties.subject.items.properties.digest,
  // What is known of an artifact.
  ExplainedFact: explained.facts.items,
  ExplainedReview: explained.reviews.items,
  ClaimedReview: explained.claimed_reviews.items,
  ExplainedSignature: explained.signatures.items,
  RejectionList: explained.rejection_lists.items,
  AskedPlace: explained.places.items,
  // Decisions.
  ImageAdmission: imageAdmission,
  Verdict: verdict,
  CountedSignature: verdict.properties.reviews.items,
  Rejection: verdict.properties.withdrawn_rejections.items,
  Disagreement: verdict.properties.contradictions.items,
  DecidedImage: admissionDecisionSchema.properties.images.items,
  DecidedReason: admissionDecisionSchema.properties.images.items.properties.reasons.items,
  StandingRejection: negatives.rejections.items,
  StandingWithdrawal: negatives.withdrawals.items,
  // Contents.
  LicensedComponent: licensed,
  ComponentAttribution: sbomAttributeResult.properties.supported.items.properties.attribution,
  CodeRegion: compared.regions.items,
  LineRange: compared.regions.items.properties.a,
  NotedByTool: importResult,
  // Findings.
  ReportDifference: reportVerifyResult.properties.differences.items,
  CheckedDocument: reportVerifyResult.properties.signature,
  Finding: findingSchema,
  Severity: findingSchema.properties.severity,
  SbomOfScan: remediationRecordSchema.properties.sightings.items.properties.sbom,
  SlaBySeverity: quarterlyReportSchema.properties.sla_by_severity,
};
