import { PROBE_AGENTS } from '@colophon/policy-file/probe-subjects';
import { compileSubjectPattern, type SubjectPattern } from '@colophon/policy-file/subject-pattern';
import { AGENT_PREFIX, type CertificateIdentity, REVIEWER_PREFIX } from '@colophon/records';
import { publicKeyName } from '../public-key/public-key.ts';
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
  /**
   * Whether a no by the holder of a certificate may be heard by what a rule pins beside issuer and subject, as a repository;
   * true where it pins nothing else.
   */
  mayComeFrom(identity: CertificateIdentity): boolean;
  /** Whether two issuers certify the same people by the same addresses, for this rule. */
  isSameIssuer(one: string, other: string): boolean;
  /** What else is one person, for this rule. */
  readonly hearing: Hearing;
  /** Whether a subject that begins with `agent:` is let through. */
  readonly acceptsAgents: boolean;
};

const UNHEARD = { mayName: () => false, mayComeFrom: () => true, isSameIssuer: () => false, hearing: {} } as const;

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
  return {
    issuers: [issuer],
    keys: [],
    description: `${subject} of ${issuer}`,
    accepts: (identity) => identity.issuer === issuer && subjects.includes(identity.subject),
    ...heardBy(issuer, hearing, namedExactly(subject, hearing)),
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
    ...heardBy(issuer, hearing, namedBy(compiled, hearing)),
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

/**
 * Whom a verification without a policy pins: the issuer and the subject, each as a text or as an RE2 pattern, and what else
 * of a certificate says whose it is. Where no subject is pinned, everybody of the issuer is meant.
 */
export type PinnedSigner = {
  readonly issuer?: string | undefined;
  readonly issuerRegExp?: string | undefined;
  readonly subject?: string | undefined;
  readonly subjectRegExp?: string | undefined;
  readonly repository?: string | undefined;
  readonly trigger?: string | undefined;
};

/**
 * The rule by which a no of a pinned signer is heard: in whatever spelling. A repository or an event that is pinned lets
 * through what names another one; a certificate that names none may be the signer's.
 * @param pinned with patterns that compile: another one names nobody
 * @param accepts whose yes counts, by all that is pinned
 */
export function createPinnedRule(pinned: PinnedSigner, accepts: IdentityRule['accepts']): IdentityRule {
  const isOfIssuer = issuerNamed(pinned);
  const isOfSubject = subjectNamed(pinned);
  const { issuer, issuerRegExp, subject, subjectRegExp, repository, trigger } = pinned;
  const mayComeFrom = (identity: CertificateIdentity) =>
    mayBe(repository, identity.claims.repo) && mayBe(trigger, identity.trigger);
  return {
    issuers: issuer === undefined ? [] : [issuer],
    keys: [],
    description: `${subject ?? `/${subjectRegExp ?? ''}/`} of ${issuer ?? `/${issuerRegExp ?? ''}/`}`,
    accepts,
    mayName: (identity) => isOfIssuer(identity.issuer) && isOfSubject(identity) && mayComeFrom(identity),
    mayComeFrom,
    isSameIssuer: (one, other) => heardIssuer(one) === heardIssuer(other),
    hearing: {},
    acceptsAgents: false,
  };
}

function issuerNamed({ issuer, issuerRegExp }: PinnedSigner): (found: string) => boolean {
  if (issuer !== undefined) return (found) => heardIssuer(found) === heardIssuer(issuer);
  const compiled = compileSubjectPattern(issuerRegExp ?? '');
  if (!compiled.ok) return () => false;
  return (found) => [found, heardIssuer(found), `${heardIssuer(found)}/`].some(compiled.matchesInAnyCase);
}

function subjectNamed({ subject, subjectRegExp }: PinnedSigner): Names {
  if (subject !== undefined) return namedExactly(subject, {});
  if (subjectRegExp === undefined) return () => true;
  const compiled = compileSubjectPattern(subjectRegExp);
  return compiled.ok ? namedBy(compiled, {}) : () => false;
}

function mayBe(pinned: string | undefined, found: string | undefined): boolean {
  return pinned === undefined || found === undefined || found.toLowerCase() === pinned.toLowerCase();
}

/** Any of several rules. */
export function createAnyRule(rules: readonly IdentityRule[]): IdentityRule {
  return {
    issuers: [...new Set(rules.flatMap(({ issuers }) => issuers))],
    keys: [...new Set(rules.flatMap(({ keys }) => keys))],
    description: rules.map(({ description }) => description).join(', or '),
    accepts: (identity) => rules.some((rule) => rule.accepts(identity)),
    mayName: (identity) => rules.some((rule) => rule.mayName(identity)),
    mayComeFrom: (identity) => rules.some((rule) => rule.mayComeFrom(identity)),
    isSameIssuer: (one, other) => rules.some((rule) => rule.isSameIssuer(one, other)),
    hearing: rules[0]?.hearing ?? {},
    acceptsAgents: rules.some(({ acceptsAgents }) => acceptsAgents),
  };
}

/** Whether the holder of a certificate is named, in whatever spelling. */
type Names = (identity: CertificateIdentity) => boolean;

function namedExactly(subject: string, hearing: Hearing): Names {
  const named = heardName(subject, hearing);
  return (identity) =>
    heardNames(identity, hearing).some(({ kind, name }) => kind === named.kind && name === named.name);
}

function namedBy({ matchesInAnyCase }: SubjectPattern, hearing: Hearing): Names {
  return (identity) => heardTexts(identity, hearing).some((text) => matchesInAnyCase(text));
}

/** At its own issuer whatever the rule names, and at others only people. */
function heardBy(issuer: string, hearing: Hearing, names: Names) {
  const own = heardIssuer(issuer);
  const others = new Set((hearing.sameAt ?? []).map(heardIssuer));
  const isPerson = (identity: CertificateIdentity) => heardNames(identity).some(({ kind }) => kind === 'person');
  return {
    hearing,
    mayName: (identity: CertificateIdentity) => {
      const at = heardIssuer(identity.issuer);
      return (at === own || (others.has(at) && isPerson(identity))) && names(identity);
    },
    mayComeFrom: () => true,
    isSameIssuer: (one: string, other: string) => {
      const [a, b] = [heardIssuer(one), heardIssuer(other)];
      const isKnown = (at: string) => at === own || others.has(at);
      return a === b || (isKnown(a) && isKnown(b));
    },
  };
}
