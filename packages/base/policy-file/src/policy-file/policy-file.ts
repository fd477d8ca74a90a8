import type { JsonSchema } from '@colophon/json';
import {
  MAX_POLICY_LENGTH,
  MOST_ISSUES,
  type PolicyDocument,
  type PolicyIssue,
  type PolicySyntaxCode,
  readPolicyDocument,
} from '../policy-document/policy-document.ts';
import { checkShape, type ShapeCode } from '../shape-check/shape-check.ts';

/**
 * Reads one policy file: YAML as data only, in the shape that the schema declares. Never throws.
 * @param mostCharacters of the file, in UTF-16 units
 * @returns the document, whose `data` has the schema's type, or what is wrong with the file: at most 50 issues, each
 * with its line and column
 */
export function readPolicyFile(
  text: string,
  schema: JsonSchema,
  { mostCharacters = MAX_POLICY_LENGTH }: { readonly mostCharacters?: number } = {},
): PolicyDocument | { readonly issues: readonly PolicyIssue<PolicySyntaxCode | ShapeCode>[] } {
  const document = readPolicyDocument(text, mostCharacters);
  if ('issues' in document) return document;
  const problems = checkShape(schema, document.data).slice(0, MOST_ISSUES);
  if (problems.length === 0) return document;
  return {
    issues: problems.map(({ path, code, message, expected }) =>
      document[code === 'policy.unknown_key' ? 'issueAtKey' : 'issueAt'](path, code, message, expected),
    ),
  };
}
