export { compileFullMatch, type InvalidPattern } from './full-match/full-match.ts';
export {
  MAX_POLICY_LENGTH,
  POLICY_SYNTAX_CODES,
  type PolicyDocument,
  type PolicyIssue,
} from './policy-document/policy-document.ts';
export { readPolicyFile } from './policy-file/policy-file.ts';
export { POLICY_SHAPE_CODES } from './shape-check/shape-check.ts';
