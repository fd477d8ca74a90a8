export { apiKeyIdIn, isApiKeyId } from './api-key/api-key.ts';
export { checkApiKey } from './api-key/api-key-check.ts';
export { ApiKeyUses } from './api-key/api-key-uses.ts';
export type { IssuingRules } from './caller/issuing-rules.ts';
export {
  CallerDesk,
  DEFAULT_KEY_DAYS,
  DEFAULT_MAX_KEY_DAYS,
  isCallerName,
  listCallers,
  listKeys,
} from './caller-desk/caller-desk.ts';
export { CallerError } from './caller-error/caller-error.ts';
export { createIssuer, type Issuer, type IssuerLimits } from './issuer/issuer.ts';
export type { WrittenRecords } from './ledger/issuance-record-result.ts';
export { exportLedger } from './ledger/ledger-export.ts';
export { ledgerOrigin } from './ledger/ledger-origin.ts';
export { verifyLedger } from './ledger/ledger-verify.ts';
