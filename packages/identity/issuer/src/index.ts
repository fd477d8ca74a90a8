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
export { staticDocument, TOKEN_EXCHANGE_GRANT } from './discovery/discovery.ts';
export { DISCOVERY_PATH, JWKS_PATH, mountDocument } from './discovery/discovery-endpoint.ts';
export { createIssuer, type Issuer, type IssuerLimits } from './issuer/issuer.ts';
export { provenRecordSchema, type WrittenRecords } from './ledger/issuance-record-result.ts';
export { exportLedger } from './ledger/ledger-export.ts';
export { isLedgerOrigin, ledgerOrigin, restoredLedgerOrigin } from './ledger/ledger-origin.ts';
export { LedgerRecords } from './ledger/ledger-records.ts';
export { verifyLedger } from './ledger/ledger-verify.ts';
export { type RestoredLedger, restoredRow } from './ledger/restored-row.ts';
export type { FrozenLedger } from './ledger-endpoint/ledger-endpoint.ts';
export { CREDENTIAL_KINDS, type CredentialKind, type IssuerWatch } from './ports/ports.ts';
export { bareAddress } from './rate-limit/address-networks.ts';
export { DEFAULT_LOOPBACK_RATE } from './rate-limit/rate-limit.ts';
export type { ListedWitness, WitnessBook } from './receipt/shown-receipt.ts';
export { ISSUED_TOKEN_TYPE, REQUESTED_TYPES, SUBJECT_TYPES } from './token-endpoint/form-request.ts';
export { TOKEN_PATH } from './token-endpoint/token-endpoint.ts';
export { eraseToken, type FrozenFile } from './token-erasure/token-erasure.ts';
export { TOKEN_REFUSAL_STATUS } from './token-refusal/token-answers.ts';
export { OAUTH_ERRORS } from './token-refusal/token-refusal.ts';
