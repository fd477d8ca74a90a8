import { admissionDecisionSchema } from '../../packages/contract/records/src/admission-decision/admission-decision-schema.ts';
import { agentReviewSchema } from '../../packages/contract/records/src/agent-review/agent-review-schema.ts';
import { agentRunSchema } from '../../packages/contract/records/src/agent-run/agent-run-schema.ts';
import { buildProvenanceSchema } from '../../packages/contract/records/src/build-provenance/build-provenance-schema.ts';
import { enrichedFindingSchema } from '../../packages/contract/records/src/enriched-finding/enriched-finding-schema.ts';
import { evidencePackSchema } from '../../packages/contract/records/src/evidence-pack/evidence-pack-schema.ts';
import { findingSchema } from '../../packages/contract/records/src/finding/finding-schema.ts';
import { quarterlyReportSchema } from '../../packages/contract/records/src/quarterly-report/quarterly-report-schema.ts';
import { remediationRecordSchema } from '../../packages/contract/records/src/remediation-record/remediation-record-schema.ts';
import { reportNotesSchema } from '../../packages/contract/records/src/report-notes/report-notes-schema.ts';
import { reviewWithdrawalSchema } from '../../packages/contract/records/src/review-withdrawal/review-withdrawal-schema.ts';
import { scanRecordSchema } from '../../packages/contract/records/src/scan-record/scan-record-schema.ts';
import {
  negativesPageSchema,
  standingNegativesSchema,
} from '../../packages/contract/records/src/standing-negatives/standing-negatives-schema.ts';
import { statementSchema } from '../../packages/contract/records/src/statement/statement-schema.ts';
import { witnessReceiptSchema } from '../../packages/contract/records/src/witness-receipt/witness-receipt-schema.ts';

/** The schemas of the contract's documents and of ours, by their file in docs/json. */
export const RECORD_SCHEMAS: Readonly<Record<string, object>> = {
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
  'witness-receipt.v1.json': witnessReceiptSchema,
};
