import { AGENT_PREFIX, type CertificateIdentity, REVIEWER_PREFIX } from '@colophon/records';
import { publicKeyName } from '../public-key/public-key.ts';
import { PROBE_AGENTS } from '../subject-pattern/probe-subjects.ts';
import { compileSubjectPattern } from '../subject-pattern/subject-pattern.ts';
import { type Hearing, heardIssuer, heardName, heardNames, heardTexts } from './heard-name.ts';

/** Which signers a rule speaks of: by the identity in their certificate, or by their bare key. */
export type IdentityRule = {
  /** Every certificate issuer that it names; none where it names keys alone. */
  readonly issuers: readonly string[];
  /** PEM of every public key that it names. */
  readonly keys: readonly string[];
  /** For a person: the issuer and the subject or pattern, or the name of the key. */
  readonly description: string;
  accepts(identity: CertificateIdentity): boolean;
  /**
   * Whether a no by the holder of a certificate counts as one of whom the rule names: in whatever spelling, and wherever the
   * same people are certified. True for all whom it accepts.
   */
  mayName(identity: CertificateIdentity): boolean;
  /** Whether two issuers certify the same people by the same addresses, for this rule. */
  isSameIssuer(one: string, other: string): boolean;
  /** What else is one person, for this rule. */
  readonly hearing: Hearing;
  /** Whether a subject that begins with `agent:` is let through. */
  readonly acceptsAgents: boolean;
};

const UNHEARD = { mayName: () => false, isSameIssuer: () => false, hearing: {} } as const;

/** Accepts nobody. */
export const NOBODY: IdentityRule = {
  issuers: [],
  keys: [],
  description: 'nobody',
  accepts: () => false,
  ...UNHEARD,
  acceptsAgents: false,
};

/** Why a rule cannot be used. */
export type InvalidIdentityRule = {
  readonly code: 'policy.pattern_invalid' | 'policy.pattern_unconstrained';
  readonly message: string;
};

/**
 * The issuer exactly, and the subject exactly. A reviewer's address counts in lower case too: an issuer of reviewers wrote
 * them as they were asked for once, and writes them in lower case since.
 */
export function createExactRule(issuer: string, subject: string, hearing: Hearing = {}): IdentityRule {
  const subjects = subject.startsWith(REVIEWER_PREFIX) ? [subject, subject.toLowerCase()] : [subject];
  const named = heardName(subject, hearing);
  return {
    issuers: [issuer],
    keys: [],
    description: `${subject} of ${issuer}`,
    accepts: (identity) => identity.issuer === issuer && subjects.includes(identity.subject),
    ...heardBy(issuer, hearing, (identity) =>
      heardNames(identity, hearing).some(({ kind, name }) => kind === named.kind && name === named.name),
    ),
    acceptsAgents: subject.startsWith(AGENT_PREFIX),
  };
}

/**
 * The issuer exactly, and the whole subject by an RE2 pattern; a pattern that pins nobody down is refused. A reviewer's
 * address in lower case is accepted where the pattern writes it with capitals, as by {@link createExactRule}.
 */
export function createPatternRule(
  issuer: string,
  pattern: string,
  hearing: Hearing = {},
): IdentityRule | InvalidIdentityRule {
  const compiled = compileSubjectPattern(pattern);
  if (!compiled.ok) return { code: 'policy.pattern_invalid', message: compiled.message };
  if (!compiled.constrains) {
    return { code: 'policy.pattern_unconstrained', message: 'the pattern accepts everybody' };
  }
  return {
    issuers: [issuer],
    keys: [],
    description: `/${pattern}/ of ${issuer}`,
    accepts: ({ issuer: by, subject }) =>
      by === issuer &&
      (compiled.matches(subject) || (isLowerCaseReviewer(subject) && compiled.matchesInAnyCase(subject))),
    ...heardBy(issuer, hearing, (identity) =>
      heardTexts(identity, hearing).some((text) => compiled.matchesInAnyCase(text)),
    ),
    // A name that no probe has is found by its text.
    acceptsAgents: pattern.includes(AGENT_PREFIX) || PROBE_AGENTS.some((subject) => compiled.matches(subject)),
  };
}

/** False for letters such as ſ that only fold to another's: what merely looks alike is no spelling of an address. */
function isLowerCaseReviewer(subject: string): boolean {
  return subject.startsWith(REVIEWER_PREFIX) && subject === subject.toUpperCase().toLowerCase();
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
    ...UNHEARD,
    mayName: ({ key }) => key === name,
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
    mayName: (identity) => rules.some((rule) => rule.mayName(identity)),
    isSameIssuer: (one, other) => rules.some((rule) => rule.isSameIssuer(one, other)),
    hearing: rules[0]?.hearing ?? {},
    acceptsAgents: rules.some(({ acceptsAgents }) => acceptsAgents),
  };
}

/** At its own issuer whatever the rule names, and at others only people. */
function heardBy(issuer: string, hearing: Hearing, names: (identity: CertificateIdentity) => boolean) {
  const own = heardIssuer(issuer);
  const others = new Set((hearing.sameAt ?? []).map(heardIssuer));
  const isPerson = (identity: CertificateIdentity) => heardNames(identity).some(({ kind }) => kind === 'person');
  return {
    hearing,
    mayName: (identity: CertificateIdentity) => {
      const at = heardIssuer(identity.issuer);
      return (at === own || (others.has(at) && isPerson(identity))) && names(identity);
    },
    isSameIssuer: (one: string, other: string) => {
      const [a, b] = [heardIssuer(one), heardIssuer(other)];
      const isKnown = (at: string) => at === own || others.has(at);
      return a === b || (isKnown(a) && isKnown(b));
    },
  };
}
