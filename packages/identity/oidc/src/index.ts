export {
  type CallerToken,
  type TrustedIssuer,
  verifyCallerToken,
} from './caller-token/caller-token.ts';
export { createDiscoveredKeys } from './keys/discovered-keys.ts';
export { createFileKeys } from './keys/file-keys.ts';
export { createPublishedKeys } from './keys/published-keys.ts';
export { logIn } from './login/log-in.ts';
export type { Jwk } from './token/token-key.ts';
export { type IdentityTokenFault, TokenRefused } from './token/token-refused.ts';
export { useKeyOf } from './token/use-key.ts';
export { CLOCK_SKEW_SECONDS, type KeySource, type TokenRules, verifyToken } from './token/verify-token.ts';
export { requestGithubToken } from './token-request/github-token.ts';
export { requestToken } from './token-request/request-token.ts';
