export { createDiscoveredKeys } from './keys/discovered-keys.ts';
export type { Jwk } from './token/token-key.ts';
export { TokenRefused } from './token/token-refused.ts';
export { CLOCK_SKEW_SECONDS, type KeySource, type TokenRules, verifyToken } from './token/verify-token.ts';
export { requestToken } from './token-request/request-token.ts';
