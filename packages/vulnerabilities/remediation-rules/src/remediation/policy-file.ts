import {
  compileFullMatch,
  type InvalidPattern,
  POLICY_SHAPE_CODES,
  POLICY_SYNTAX_CODES,
  type PolicyDocument,
  type PolicyIssue,
  readPolicyFile,
} from '@colophon/policy-file';
import { signerName } from '@colophon/records';
import type { SpeakerRule } from '@colophon/vex';
import { REMEDIATION_POLICY_SCHEMA, type RemediationPolicyFile } from './policy-schema.ts';
import { DEFAULT_REMEDIATION_POLICY, type RemediationPolicy } from './remediation-policy.ts';

/** What can be wrong with a policy file of remediation; the same words as for other policy files. */
export const REMEDIATION_POLICY_CODES = [
  ...POLICY_SYNTAX_CODES,
  ...POLICY_SHAPE_CODES,
  'policy.pattern_invalid',
] as const;
type RemediationPolicyIssue = PolicyIssue<(typeof REMEDIATION_POLICY_CODES)[number]>;

/** A policy, or everything that is wrong with its file. */
export type ParsedRemediationPolicy =
  | { readonly ok: true; readonly value: RemediationPolicy }
  | { readonly ok: false; readonly issues: readonly RemediationPolicyIssue[] };

/**
 * Reads a policy file: YAML as data only, version 1, closed keys. What it leaves out is as in
 * `DEFAULT_REMEDIATION_POLICY`. Every problem is reported at once, with its line and column. Never throws.
 * @param name what the policy is called where it does not name itself, e.g. its file
 */
export function parseRemediationPolicy(text: string, { name }: { readonly name: string }): ParsedRemediationPolicy {
  const document = readPolicyFile(text, REMEDIATION_POLICY_SCHEMA);
  if ('issues' in document) return { ok: false, issues: document.issues };
  const file = document.data as RemediationPolicyFile;
  const issues = [...everybodyIssues(file, document)];
  const tracking = trackingRule(file);
  if ('message' in tracking) {
    issues.push(document.issueAt(['tracking_id', 'pattern'], 'policy.pattern_invalid', tracking.message, 'RE2'));
  }
  if ('message' in tracking || issues.length > 0) return { ok: false, issues };
  const { owner = {}, vex = {} } = file;
  const value: RemediationPolicy = {
    name: file.name ?? name,
    owner: {
      required: owner.required ?? DEFAULT_REMEDIATION_POLICY.owner.required,
      ...(owner.domains && { domains: owner.domains.map((domain) => domain.toLowerCase()) }),
    },
    trackingId: tracking,
    ...(vex.authors && { authors: vex.authors.map(speakerRule) }),
  };
  return { ok: true, value };
}

function trackingRule({ tracking_id: rule }: RemediationPolicyFile): RemediationPolicy['trackingId'] | InvalidPattern {
  const byDefault = DEFAULT_REMEDIATION_POLICY.trackingId;
  const required = rule?.required ?? byDefault.required;
  if (rule?.pattern === undefined) return { ...byDefault, required };
  const compiled = compileFullMatch(rule.pattern);
  return compiled.ok ? { required, pattern: rule.pattern, matches: compiled.matches } : compiled;
}

type AuthorRule = NonNullable<NonNullable<RemediationPolicyFile['vex']>['authors']>[number];

function speakerRule({ products = ['*'], signers }: AuthorRule): SpeakerRule {
  return {
    products,
    authors: signers.map((signer) => {
      if (typeof signer !== 'string') return signerName(signer.subject, signer.issuer);
      return FINGERPRINT.test(signer) ? signer.toLowerCase() : signer;
    }),
  };
}

/** A rule that lets everybody speak was not meant: without a rule it is so already. */
function* everybodyIssues({ vex }: RemediationPolicyFile, document: PolicyDocument): Generator<RemediationPolicyIssue> {
  for (const [index, { signers }] of (vex?.authors ?? []).entries()) {
    if (!signers.includes('*')) continue;
    const expected = 'certificate subjects or OpenPGP fingerprints';
    const path = ['vex', 'authors', index, 'signers'];
    yield document.issueAt(path, 'policy.value', 'everybody may speak for it', expected);
  }
}

const FINGERPRINT = /^(?:[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})$/;
