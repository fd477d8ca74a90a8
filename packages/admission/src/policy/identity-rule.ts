import { AGENT_PREFIX, type CertificateIdentity } from '@colophon/records';
import { PROBE_AGENTS } from '../subject-pattern/probe-subjects.ts';
import { compileSubjectPattern } from '../subject-pattern/subject-pattern.ts';

/** Which certificate identities a rule speaks of. */
export type IdentityRule = {
  readonly issuer: string;
  /** For a person: the issuer and the subject or pattern. */
  readonly description: string;
  accepts(identity: CertificateIdentity): boolean;
  /** Whether a subject that begins with `agent:` is let through. */
  readonly acceptsAgents: boolean;
};

/** Why a rule cannot be used. */
export type InvalidIdentityRule = {
  readonly code: 'policy.pattern_invalid' | 'policy.pattern_unconstrained';
  readonly message: string;
};

/** The issuer exactly, and the subject exactly. */
export function createExactRule(issuer: string, subject: string): IdentityRule {
  return {
    issuer,
    description: `${subject} of ${issuer}`,
    accepts: (identity) => identity.issuer === issuer && identity.subject === subject,
    acceptsAgents: subject.startsWith(AGENT_PREFIX),
  };
}

/** The issuer exactly, and the whole subject by an RE2 pattern; a pattern that pins nobody down is refused. */
export function createPatternRule(issuer: string, pattern: string): IdentityRule | InvalidIdentityRule {
  const compiled = compileSubjectPattern(pattern);
  if (!compiled.ok) return { code: 'policy.pattern_invalid', message: compiled.message };
  if (!compiled.constrains) {
    return { code: 'policy.pattern_unconstrained', message: 'the pattern accepts everybody' };
  }
  return {
    issuer,
    description: `/${pattern}/ of ${issuer}`,
    accepts: (identity) => identity.issuer === issuer && compiled.matches(identity.subject),
    // A name that no probe has is found by its text.
    acceptsAgents: pattern.includes(AGENT_PREFIX) || PROBE_AGENTS.some((subject) => compiled.matches(subject)),
  };
}
