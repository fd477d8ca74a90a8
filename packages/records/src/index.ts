export {
  type CertificateIdentity,
  CLAIM_ARC_NUMBERS,
  COLOPHON_ARC,
  FULCIO_ARC,
  FULCIO_EXTENSION_TEMPLATES,
  UNKNOWN,
} from './certificate-identity/certificate-identity.ts';
export {
  CLAIM_SOURCES,
  type ClaimSource,
  formatClaimSources,
  type IdentityTokenClaims,
  parseClaimSources,
  RESERVED_CLAIMS,
  SOURCED_CLAIMS,
  type SourcedClaim,
} from './claim/claim.ts';
export type { Issue, ParseResult } from './parse-result/parse-result.ts';
export {
  agentReviewType,
  agentRunType,
  DEFAULT_PREDICATE_BASE,
  IN_TOTO_PAYLOAD_TYPE,
  STATEMENT_TYPE,
} from './predicate-type/predicate-type.ts';
export type { Statement, Subject } from './statement/statement.ts';
export { JSON_ISSUE_CODES, type JsonIssueCode } from './strict-json/json-issue.ts';
export { jsonPointer } from './strict-json/json-pointer.ts';
export { isJsonObject, type JsonObject, type JsonValue } from './strict-json/json-value.ts';
export {
  DEFAULT_MAX_JSON_BYTES,
  DEFAULT_MAX_JSON_DEPTH,
  HIGHEST_JSON_DEPTH,
  parseStrictJson,
} from './strict-json/strict-json.ts';
export type { LogReference, RejectedSignature, VerifiedSignature } from './verified-signature/verified-signature.ts';
