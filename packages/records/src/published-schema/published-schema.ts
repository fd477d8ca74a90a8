import { admissionDecisionSchema } from '../admission-decision/admission-decision-schema.ts';
import { agentReviewSchema } from '../agent-review/agent-review-schema.ts';
import { agentRunSchema } from '../agent-run/agent-run-schema.ts';
import { buildProvenanceSchema } from '../build-provenance/build-provenance-schema.ts';
import { enrichedFindingSchema } from '../enriched-finding/enriched-finding-schema.ts';
import { evidencePackSchema } from '../evidence-pack/evidence-pack-schema.ts';
import { findingSchema } from '../finding/finding-schema.ts';
import { quarterlyReportSchema } from '../quarterly-report/quarterly-report-schema.ts';
import { remediationRecordSchema } from '../remediation-record/remediation-record-schema.ts';
import { reportNotesSchema } from '../report-notes/report-notes-schema.ts';
import { reviewWithdrawalSchema } from '../review-withdrawal/review-withdrawal-schema.ts';
import { scanRecordSchema } from '../scan-record/scan-record-schema.ts';
import { negativesPageSchema, standingNegativesSchema } from '../standing-negatives/standing-negatives-schema.ts';
import { statementSchema } from '../statement/statement-schema.ts';
import { tokenRequestSchema } from '../token-request/token-request-schema.ts';
import { witnessReceiptSchema } from '../witness-receipt/witness-receipt-schema.ts';

/** The documents of packages/records/schema by file name; `node tools/generate-schemas.ts` writes them. */
export const PUBLISHED_SCHEMAS: Readonly<Record<string, object>> = {
  'admission-decision.v1.json': admissionDecisionSchema,
  'agent-review.v1.json': agentReviewSchema,
  'agent-run.v1.json': agentRunSchema,
  'build-provenance.v1.json': buildProvenanceSchema,
  'enriched-finding.v1.json': enrichedFindingSchema,
  'evidence-pack.v1.json': evidencePackSchema,
  'finding.v1.json': findingSchema,
  'quarterly-report.v1.json': quarterlyReportSchema,
  'remediation-record.v1.json': remediationRecordSchema,
  'report-notes.v1.json': reportNotesSchema,
  'review-withdrawal.v1.json': reviewWithdrawalSchema,
  'scan.v1.json': scanRecordSchema,
  'standing-negatives-page.v2.json': negativesPageSchema,
  'standing-negatives.v2.json': standingNegativesSchema,
  'statement.v1.json': statementSchema,
  'token-request.v1.json': tokenRequestSchema,
  'witness-receipt.v1.json': witnessReceiptSchema,
};

/** A schema as its file holds it. */
export function writeSchema(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
