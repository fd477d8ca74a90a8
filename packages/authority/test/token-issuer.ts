export {
  agentClaims,
  encodeSegment,
  fixedClock,
  type IssuerKey,
  keySourceOf,
  makeIssuerKey,
  mintToken,
  signInput,
  TOKEN_ISSUER as ISSUER,
  TOKEN_TIME as NOW,
} from '@colophon/testkit';
