import { compileSubjectPattern } from '@colophon/policy-file/subject-pattern';
import type { CertificateIdentity } from '@colophon/records';
import { IdentityPolicyError } from './identity-policy-error.ts';

/** What a verifier demands of a certificate (contract §5.2). Patterns are RE2 and match the whole text. */
export type IdentityPolicyOptions = {
  readonly issuer?: string | undefined;
  readonly issuerRegExp?: string | undefined;
  readonly subject?: string | undefined;
  readonly subjectRegExp?: string | undefined;
  /** The event that set the run off, e.g. `pull_request`. */
  readonly trigger?: string | undefined;
  /** `<org>/<repo>`. */
  readonly repository?: string | undefined;
  readonly sha?: string | undefined;
  /** Says that somebody else decides which identities count; only then may subject or pattern accept anybody. */
  readonly gatedElsewhere?: boolean | undefined;
};

/** A constraint that the certificate does not meet. */
export type IdentityMismatch = {
  readonly code:
    | 'identity.issuer_mismatch'
    | 'identity.subject_mismatch'
    | 'identity.trigger_mismatch'
    | 'identity.repository_mismatch'
    | 'identity.sha_mismatch';
  readonly expected: string;
  /** What the certificate says; empty where it says nothing. */
  readonly found: string;
};

const PIN = 'pin it, or say that identities are gated elsewhere';

type Matcher = { readonly expected: string; matches(text: string): boolean };
type ReadMatcher = Matcher & { readonly constrains: boolean };
type Constraint = Matcher & { readonly code: IdentityMismatch['code']; found(identity: CertificateIdentity): string };

/** A checked set of constraints, made by createIdentityPolicy. */
export type IdentityPolicy = { readonly constraints: readonly Constraint[] };

/**
 * Checks and compiles what a verifier demands. The issuer must be pinned always; the subject too, unless the caller
 * says that gating is done elsewhere.
 * @throws IdentityPolicyError `identity.issuer_missing`, `identity.unconstrained` (no subject, or a pattern that
 * accepts strangers), `identity.pattern_invalid`, `identity.ambiguous` (a text and a pattern for one thing)
 * @throws TypeError for an empty trigger, repository or sha
 * @see contract §5.2
 */
export function createIdentityPolicy(options: IdentityPolicyOptions): IdentityPolicy {
  const gated = options.gatedElsewhere === true;
  // Gating elsewhere is about who; whose word it is stays pinned (contract §5.2).
  const issuer = createMatcher('issuer', options.issuer, options.issuerRegExp);
  const subject = createMatcher('subject', options.subject, options.subjectRegExp);
  const isOpen = (matcher: ReadMatcher | undefined) => matcher?.constrains === false;
  const open = [
    ...(isOpen(issuer)
      ? [`the pattern for the issuer accepts anybody's: ${issuer?.expected}: the issuer must be pinned`]
      : []),
    ...(isOpen(subject) && !gated ? [`the pattern for the subject accepts anybody: ${subject?.expected}: ${PIN}`] : []),
  ];
  if (open.length > 0) throw new IdentityPolicyError('identity.unconstrained', open.join('; '));
  if (issuer === undefined) {
    throw new IdentityPolicyError('identity.issuer_missing', 'the issuer of the certificate must be pinned');
  }
  if (subject === undefined && !gated) {
    throw new IdentityPolicyError('identity.unconstrained', `no subject is given: ${PIN}`);
  }
  const constraints: Constraint[] = [
    { code: 'identity.issuer_mismatch', found: (identity) => identity.issuer, ...issuer },
  ];
  if (subject) {
    constraints.push({ code: 'identity.subject_mismatch', found: (identity) => identity.subject, ...subject });
  }
  const exact = (code: Constraint['code'], expected: string | undefined, found: Constraint['found']) => {
    // A variable that was never set must not pass for a constraint that holds.
    if (expected === '') throw new TypeError('a constraint is not empty: leave it out instead');
    if (expected !== undefined) constraints.push({ code, found, expected, matches: (text) => text === expected });
  };
  exact('identity.trigger_mismatch', options.trigger, ({ trigger }) => trigger ?? '');
  exact('identity.repository_mismatch', options.repository, ({ claims }) => claims.repo ?? '');
  exact('identity.sha_mismatch', options.sha, ({ claims }) => claims.commit_sha ?? '');
  return { constraints };
}

/** Every constraint that the identity does not meet; none means that it is accepted. */
export function decideIdentity(policy: IdentityPolicy, identity: CertificateIdentity): readonly IdentityMismatch[] {
  return policy.constraints.flatMap(({ code, expected, matches, found }) => {
    const text = found(identity);
    return matches(text) ? [] : [{ code, expected, found: text }];
  });
}

/** Whether a policy names an issuer itself, and not by a pattern that others may match too. */
export function namesIssuer({ constraints }: IdentityPolicy, issuer: string): boolean {
  return constraints.some(({ code, expected }) => code === 'identity.issuer_mismatch' && expected === issuer);
}

function createMatcher(what: string, text: string | undefined, pattern: string | undefined): ReadMatcher | undefined {
  if (text && pattern) {
    throw new IdentityPolicyError('identity.ambiguous', `the ${what} is given as a text and as a pattern`);
  }
  if (text) return { expected: text, constrains: true, matches: (found) => found === text };
  if (!pattern) return undefined;
  const compiled = compileSubjectPattern(pattern);
  if (!compiled.ok) {
    throw new IdentityPolicyError('identity.pattern_invalid', `the pattern for the ${what}: ${compiled.message}`);
  }
  return { expected: pattern, constrains: compiled.constrains, matches: compiled.matches };
}
