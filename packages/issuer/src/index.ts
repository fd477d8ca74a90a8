export { type DiscoveryDocument, RUN_CONTEXT_GRANT } from './discovery/discovery.ts';
export { DISCOVERY_PATH, JWKS_PATH } from './discovery/discovery-endpoint.ts';
export {
  createIssuer,
  DEFAULT_AUDIENCES,
  DEFAULT_LIFETIME_SECONDS,
  type Issuer,
  type IssuerLimits,
  type IssuerOptions,
} from './issuer/issuer.ts';
export { IssuerError, type IssuerErrorCode } from './issuer-error/issuer-error.ts';
export type { IssuanceRecord } from './ledger/issuance-record.ts';
export { exportLedger } from './ledger/ledger-export.ts';
export { ledgerOrigin } from './ledger/ledger-origin.ts';
export { type LedgerProof, ledgerProof, type ProvenRecord } from './ledger/ledger-proof.ts';
export {
  LEDGER_PROBLEM_CODES,
  type LedgerProblem,
  type LedgerProblemCode,
  type LedgerReport,
  verifyLedger,
} from './ledger/ledger-verify.ts';
export type { MintResult } from './minter/minter.ts';
export type { Clock, Logger, Random } from './ports/ports.ts';
export { createSystemRandom, silentLogger, systemClock } from './ports/system.ts';
export type { Rate } from './rate-limit/rate-limit.ts';
export type { RefusalRecord } from './refusal-log/refusal-log.ts';
export { TOKEN_PATH } from './token-endpoint/token-endpoint.ts';
export { OAUTH_ERRORS, type OauthError, type TokenRefusal } from './token-refusal/token-refusal.ts';
