export type { CheckSender } from './decision/decision-sender.ts';
export { answerQuestion, openEvidenceReader, type QueryResult } from './evidence/asked-question.ts';
export { createEvidence } from './evidence/evidence.ts';
export { EvidenceError } from './evidence-error/evidence-error.ts';
export type { KnownReceipt } from './receipt/receipt-columns.ts';
