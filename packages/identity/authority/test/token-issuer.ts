export {
  agentClaims,
  fixedClock,
  type IssuerKey,
  keySourceOf,
  makeIssuerKey,
  mintToken,
  TOKEN_ISSUER as ISSUER,
  TOKEN_TIME as NOW,
} from '@colophon/testkit';
