export type {
  ApiKeyCreatedResult,
  ApiKeyListResult,
  CallerListResult,
  RevokedResult,
  ShownApiKey,
  ShownCaller,
} from './caller-desk/caller-result.ts';
export { erasedToken, restoredLedger } from './ledger/issuance-record-result.ts';
export type { LedgerResult } from './ledger/ledger-result.ts';
