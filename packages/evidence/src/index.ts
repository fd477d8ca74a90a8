export { createEvidence } from './evidence/evidence.ts';
export type { KnownReceipt } from './receipt/receipt-columns.ts';
