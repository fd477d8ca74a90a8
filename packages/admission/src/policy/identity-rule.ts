import { AGENT_PREFIX, type CertificateIdentity } from '@colophon/records';
import { publicKeyName } from '../public-key/public-key.ts';
import { PROBE_AGENTS } from '../subject-pattern/probe-subjects.ts';
import { compileSubjectPattern } from '../subject-pattern/subject-pattern.ts';

/** Which signers a rule speaks of: by the identity in their certificate, or by their bare key. */
export type IdentityRule = {
  /** Every certificate issuer that it names; none where it names keys alone. */
  readonly issuers: readonly string[];
  /** PEM of every public key that it names. */
  readonly keys: readonly string[];
  /** For a person: the issuer and the subject or pattern, or the name of the key. */
  readonly description: string;
  accepts(identity: CertificateIdentity): boolean;
  /** Whether a subject that begins with `agent:` is let through. */
  readonly acceptsAgents: boolean;
};

/** Accepts nobody. */
export const NOBODY: IdentityRule = {
  issuers: [],
  keys: [],
  description: 'nobody',
  accepts: () => false,
  acceptsAgents: false,
};

/** Why a rule cannot be used. */
export type InvalidIdentityRule = {
  readonly code: 'policy.pattern_invalid' | 'policy.pattern_unconstrained';
  readonly message: string;
};

/** The issuer exactly, and the subject exactly. */
export function createExactRule(issuer: string, subject: string): IdentityRule {
  return {
    issuers: [issuer],
    keys: [],
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
    issuers: [issuer],
    keys: [],
    description: `/${pattern}/ of ${issuer}`,
    accepts: (identity) => identity.issuer === issuer && compiled.matches(identity.subject),
    // A name that no probe has is found by its text.
    acceptsAgents: pattern.includes(AGENT_PREFIX) || PROBE_AGENTS.some((subject) => compiled.matches(subject)),
  };
}

/** Whoever has a key; undefined for a text that is no public key. */
export function createKeyRule(pem: string): IdentityRule | undefined {
  const name = publicKeyName(pem);
  if (name === undefined) return undefined;
  return {
    issuers: [],
    keys: [pem],
    description: `the key ${name}`,
    accepts: ({ key }) => key === name,
    acceptsAgents: false,
  };
}

/** Any of several rules. */
export function createAnyRule(rules: readonly IdentityRule[]): IdentityRule {
  return {
    issuers: [...new Set(rules.flatMap(({ issuers }) => issuers))],
    keys: [...new Set(rules.flatMap(({ keys }) => keys))],
    description: rules.map(({ description }) => description).join(', or '),
    accepts: (identity) => rules.some((rule) => rule.accepts(identity)),
    acceptsAgents: rules.some(({ acceptsAgents }) => acceptsAgents),
  };
}
