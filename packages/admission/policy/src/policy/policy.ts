import { isTimestamp } from '@colophon/notation';
import { type PolicyDocument, readPolicyFile } from '@colophon/policy-file';
import { compileNamePatterns } from '@colophon/policy-file/name-pattern';
import type { ReviewProfile } from '@colophon/records';
import {
  agentReviewType,
  agentRunType,
  type ClaimSource,
  DEFAULT_PREDICATE_BASE,
  parseRepositoryUri,
  type SourcedClaim,
  typesUnder,
} from '@colophon/records';
import { type Condition, compileCondition } from '../condition/condition.ts';
import { timestampSeconds } from '../decision/timestamp-seconds.ts';
import { compileImageGlob, type ImageGlob } from '../image/image-glob.ts';
import { isReviewType } from '../review-type/review-type.ts';
import type { Hearing } from './heard-name.ts';
import {
  createAnyRule,
  createExactRule,
  createKeyRule,
  createPatternRule,
  type IdentityRule,
  NOBODY,
} from './identity-rule.ts';
import { compilePeopleDomains, type PeopleDomains } from './people-domains.ts';
import type { PolicyIssue, PolicyIssueCode } from './policy-issue.ts';
import { POLICY_SCHEMA, type PolicyFile, REQUIRE_RULE_SCHEMA, REQUIRE_SCHEMA } from './policy-schema.ts';

/** Who may review when a policy does not say: reviewers with a token of their own. */
export const DEFAULT_REVIEWER_PATTERN = '^reviewer:.*';

/** `spec` is contract §5.3 to the letter. */
export type AdmissionProfile = ReviewProfile;

/** A policy file, checked and compiled. */
export type Policy = {
  readonly name: string;
  readonly images: readonly ImageGlob[];
  /** Who makes the images that the policy covers. */
  readonly maker: MakerRule;
  /** The agents among them; nobody where people make the images, or nobody signs them. */
  readonly agent: IdentityRule;
  /** Models that an agent may have run on; any where absent. */
  readonly models?: readonly ModelRule[];
  /** Whether a run has to show that the model answered that was requested. */
  readonly modelAsRequested: boolean;
  /** `sha256:<hex>` of each policy pack under which an agent may have run, and its name; any where absent. */
  readonly policyPacks?: ReadonlyMap<string, string>;
  readonly exceptions: readonly ExceptionRule[];
  readonly review: {
    /** False where no review is asked for, and `identity` is nobody. */
    readonly isRequired: boolean;
    /** How old the review may be. */
    readonly maxAgeSeconds?: number;
    readonly identity: IdentityRule;
    /** Of whose addresses a yes counts; of any where absent. A no counts from everywhere. */
    readonly domains?: PeopleDomains;
    readonly predicateType: string;
    /** The agent-run type of the same family, where the length of a review may stand too. */
    readonly runPredicateType: string;
    /** Whether a statement is a review, or a run: of these types or, where the policy names none, of those from before. */
    isReview(predicateType: string | undefined): boolean;
    isRun(predicateType: string | undefined): boolean;
    readonly conditions: readonly Condition[];
    readonly minDurationSeconds?: number;
    /** Who may withdraw somebody's rejection; nobody where it is empty. */
    readonly mayWithdraw: readonly IdentityRule[];
  };
  /** The list of standing rejections; `none` where the policy wants no list, absent where it says nothing. */
  readonly negatives?: 'none' | NegativesSource;
  readonly sources: ReadonlyMap<SourcedClaim, readonly ClaimSource[]>;
  readonly require: readonly RequireRule[];
  /** Who builds; absent where the review itself has to name the image. */
  readonly provenance?: ProvenanceRule;
  /** What does not stand in this format counts for nothing but a no. Both formats count when absent. */
  readonly signatureFormat?: 'bundle';
  /** Whether a contradiction among signers that the policy names refuses, or is only told. */
  readonly contradictions: 'warn' | 'refuse';
  readonly mode: 'enforce' | 'audit';
  readonly profile: AdmissionProfile;
  /** The file that it was read from; decides nothing. Absent where there is none. */
  readonly written?: WrittenPolicy;
};

/** A policy file as somebody wrote it, and where its parts stand. */
export type WrittenPolicy = Pick<PolicyDocument, 'issueAt'> & { readonly file: PolicyFile };

/** Who makes the images of a policy: agents, people, or somebody of old who signs nothing. */
export type MakerRule =
  | {
      readonly kind: 'agent' | 'human';
      readonly identity: IdentityRule;
      /** How old the signature may be. */
      readonly maxAgeSeconds?: number;
    }
  | ({ readonly kind: 'legacy'; readonly digests: ReadonlySet<string> } & Accountable & { readonly until?: string });

/** Who answers for a rule, and why it is there. */
type Accountable = { readonly owner: string; readonly reason: string };

/** One image that passes without evidence for a time. */
export type ExceptionRule = Accountable & {
  /** `sha256:<hex>` of the image. */
  readonly digest: string;
  /** RFC 3339 with Z. */
  readonly from: string;
  /** RFC 3339 with Z, at most {@link LONGEST_EXCEPTION_SECONDS} after `from`. */
  readonly until: string;
};

/** How long an exception may last. */
export const LONGEST_EXCEPTION_SECONDS = 86_400;

/** Models that a policy accepts. */
export type ModelRule = {
  /** For a person: as the policy wrote it. */
  readonly description: string;
  accepts(modelId: string, provider: string | undefined): boolean;
};

/** One rule of `require`: an identity that must have signed, and what. */
export type RequireRule = {
  readonly identity: IdentityRule;
  /** Only attestations of this type count. */
  readonly predicateType?: string;
};

/** The build runner whose provenance ties an image to a commit. */
export type ProvenanceRule = {
  readonly identity: IdentityRule;
  /** `runDetails.builder.id`, exactly. */
  readonly builderId?: string;
  /** The https address of the repository, as parseRepositoryUri writes it. */
  readonly sourceRepository?: string;
};

/** Where the list of standing rejections is, who signs it, and how old it may be. */
export type NegativesSource = {
  /** Absolute URL. */
  readonly from: string;
  readonly signer: { readonly issuer: string; readonly subject: string };
  readonly maxAgeSeconds: number;
};

/** For how long a list counts where the policy does not say. */
export const DEFAULT_NEGATIVES_MAX_AGE_SECONDS = 900;

/** A policy, or everything that is wrong with its file. */
export type ParsedPolicy =
  | { readonly ok: true; readonly value: Policy }
  | { readonly ok: false; readonly issues: readonly PolicyIssue[] };

/**
 * Reads one policy file. Patterns, globs and conditions are compiled here, so that a policy that loads can be decided.
 * `name` is what it is called
 * where it does not name itself, e.g. its file; else its first glob is. Every problem is reported, with its line and column; codes are POLICY_ISSUE_CODES. Never throws.
 * @see contract §5.3, §5.4
 */
export function parsePolicy(
  yamlText: string,
  { predicateBase = DEFAULT_PREDICATE_BASE, name }: { readonly predicateBase?: string; readonly name?: string } = {},
): ParsedPolicy {
  const document = readPolicyFile(yamlText, POLICY_SCHEMA);
  if ('issues' in document) return { ok: false, issues: document.issues };
  const file = document.data as PolicyFile;
  return new PolicyCompiler(document).compile(
    { ...file, name: file.name ?? name ?? (file.images[0] as string) },
    predicateBase,
  );
}

/** What {@link parseRequireRules} answers. */
export type ParsedRequireRules =
  | { readonly ok: true; readonly value: readonly RequireRule[] }
  | { readonly ok: false; readonly issues: readonly PolicyIssue[] };

/**
 * Reads rules as `require` of a policy file has them: one (`{ issuer: …, subject: … }`), or a list of them. Every problem is
 * reported, as parsePolicy does. Never throws.
 * @see contract §5.4
 */
export function parseRequireRules(yamlText: string): ParsedRequireRules {
  const isList = !yamlText.trimStart().startsWith('{');
  const document = readPolicyFile(yamlText, isList ? REQUIRE_SCHEMA : REQUIRE_RULE_SCHEMA);
  if ('issues' in document) return { ok: false, issues: document.issues };
  const { data } = document;
  return new PolicyCompiler(document).compileRequire((isList ? data : [data]) as WrittenRules, isList);
}

type WrittenRules = NonNullable<PolicyFile['require']>;
type Path = readonly (string | number)[];
type OneAuthority = Subjects & { readonly issuer?: string | undefined; readonly key?: string | undefined };
type Authority = OneAuthority & { readonly identities?: readonly OneAuthority[] | undefined };
const AUTHORITY_KEYS = ['issuer', 'subject', 'subjectRegExp', 'key'] as const;

const OF_AGENTS = ['sources', 'models', 'modelAsRequested', 'policyPacks', 'profile'] as const;
/** Keys of a policy that say nothing where agents do not make the images. */
const NOT_FOR = {
  agent: [],
  human: OF_AGENTS,
  legacy: [...OF_AGENTS, 'review', 'provenance', 'require', 'signatureFormat', 'contradictions'],
} as const satisfies Readonly<Record<MakerRule['kind'], ReadonlyArray<keyof PolicyFile>>>;

type Subjects = { readonly subject?: string | undefined; readonly subjectRegExp?: string | undefined };

class PolicyCompiler {
  readonly #document: PolicyDocument;
  readonly #issues: PolicyIssue[] = [];
  /** Who else may be somebody whom the policy names, where they say no. */
  #hearing: Hearing = {};

  constructor(document: PolicyDocument) {
    this.#document = document;
  }

  compile(file: PolicyFile & { readonly name: string }, predicateBase: string): ParsedPolicy {
    const { profile = 'strict', mode = 'enforce', contradictions = 'warn', review = {} } = file;
    const { plusAddresses, sameAt } = review;
    this.#hearing = { ...(plusAddresses && { plusAddresses }), ...(sameAt && { sameAt }) };
    const images = file.images.map((glob, index) => this.#imageGlob(glob, ['images', index]));
    const maker = this.#maker(file);
    if (profile === 'spec') this.#refuseReviewIdentity(review);
    const isReviewed = file.agent !== undefined || file.review !== undefined;
    const reviewer = isReviewed ? this.#reviewer(review, file, profile) : NOBODY;
    const exceptions = (file.exceptions ?? []).map((exception, index) => this.#exception(exception, index));
    const conditions = (review.conditions ?? []).map((text, i) => this.#condition(text, ['review', 'conditions', i]));
    const mayWithdraw = (review.mayWithdraw ?? []).map((rule, index) =>
      this.#withdrawer(rule, ['review', 'mayWithdraw', index], profile),
    );
    const domains = review.domains && this.#domains(review.domains);
    const negatives = this.#negatives(file.negatives);
    this.#refuseShortName(review.predicateType, ['review', 'predicateType']);
    if (profile === 'strict' && file.negatives !== 'none') this.#refuseUnlistedType(review.predicateType);
    const require = (file.require ?? []).map((rule, index) => this.#requireRule(rule, ['require', index]));
    const provenance = file.provenance && this.#provenance(file.provenance, profile);
    if (this.#issues.length > 0) return { ok: false, issues: this.#issues };
    const made = maker as MakerRule;
    const reviewTypes =
      review.predicateType === undefined ? typesUnder(predicateBase, agentReviewType) : [review.predicateType];
    const ownRunType = review.predicateType === undefined ? undefined : runTypeBeside(review.predicateType);
    const runTypes = ownRunType === undefined ? typesUnder(predicateBase, agentRunType) : [ownRunType];
    return {
      ok: true,
      value: {
        name: file.name,
        images: images as ImageGlob[],
        maker: made,
        agent: made.kind === 'agent' ? made.identity : NOBODY,
        ...(file.models === undefined ? {} : { models: file.models.map(modelRule) }),
        modelAsRequested: file.modelAsRequested ?? false,
        ...(file.policyPacks === undefined
          ? {}
          : { policyPacks: new Map(file.policyPacks.map(({ name, hash }) => [hash, name])) }),
        exceptions: exceptions as ExceptionRule[],
        review: {
          isRequired: isReviewed,
          ...(review.maxAge === undefined ? {} : { maxAgeSeconds: secondsOf(review.maxAge) }),
          identity: reviewer as IdentityRule,
          ...(domains === undefined ? {} : { domains }),
          predicateType: reviewTypes[0] as string,
          runPredicateType: runTypes[0] as string,
          isReview: (type) => reviewTypes.includes(type as string),
          isRun: (type) => runTypes.includes(type as string),
          conditions: conditions as Condition[],
          ...(review.minDurationSeconds === undefined ? {} : { minDurationSeconds: review.minDurationSeconds }),
          mayWithdraw: mayWithdraw as IdentityRule[],
        },
        ...(negatives === undefined ? {} : { negatives }),
        sources: new Map(Object.entries(file.sources ?? {}) as Array<[SourcedClaim, ClaimSource[]]>),
        require: require as RequireRule[],
        ...(provenance === undefined ? {} : { provenance: provenance as ProvenanceRule }),
        ...(file.signatureFormat === undefined ? {} : { signatureFormat: file.signatureFormat }),
        contradictions,
        mode,
        profile,
        written: { file, issueAt: this.#document.issueAt },
      },
    };
  }

  #note(path: Path, code: PolicyIssueCode, message: string, expected?: string): undefined {
    this.#issues.push(this.#document.issueAt(path, code, message, expected));
  }

  compileRequire(rules: WrittenRules, isList: boolean): ParsedRequireRules {
    const compiled = rules.map((rule, index) => this.#requireRule(rule, isList ? [index] : []));
    if (this.#issues.length > 0) return { ok: false, issues: this.#issues };
    return { ok: true, value: compiled as RequireRule[] };
  }

  #requireRule(rule: WrittenRules[number], path: Path) {
    const { predicateType } = rule;
    this.#refuseShortName(predicateType, [...path, 'predicateType']);
    const identity = this.#authority(rule, path);
    return { identity, ...(predicateType === undefined ? {} : { predicateType }) };
  }

  /** Who is reviewed, or reviews, does not vouch for what was built from it. */
  #provenance(rule: NonNullable<PolicyFile['provenance']>, profile: AdmissionProfile) {
    const path = ['provenance'];
    if (profile === 'spec') {
      this.#note(path, 'policy.not_in_profile', 'profile spec asks for no build provenance');
      return undefined;
    }
    const { builderId, sourceRepository: written } = rule;
    const sourceRepository = written === undefined ? undefined : parseRepositoryUri(written);
    if (written !== undefined && sourceRepository === undefined) {
      const message = 'not the address of a repository';
      this.#note([...path, 'sourceRepository'], 'policy.address_invalid', message, 'https://host/owner/repository');
    }
    const identity = this.#authority(rule, path);
    if (identity?.acceptsAgents) {
      const message = 'agents may not be the build runner, and this rule matches an agent';
      const key = rule.subject === undefined ? 'subjectRegExp' : 'subject';
      this.#note([...path, key], 'policy.builder_is_agent', message, 'no subject that begins with agent:');
    }
    return {
      identity,
      ...(builderId === undefined ? {} : { builderId }),
      ...(sourceRepository === undefined ? {} : { sourceRepository }),
    };
  }

  #imageGlob(text: string, path: Path): ImageGlob | undefined {
    return compileImageGlob(text) ?? this.#note(path, 'policy.glob_invalid', 'not a glob over image references');
  }

  #condition(text: string, path: Path): Condition | undefined {
    const condition = compileCondition(text);
    return condition.ok ? condition : this.#note(path, 'policy.condition_invalid', condition.message);
  }

  /** Who makes the images: exactly one of the three keys. */
  #maker(file: PolicyFile): MakerRule | undefined {
    const { agent, human, legacy } = file;
    const written = (['agent', 'human', 'legacy'] as const).filter((key) => file[key] !== undefined);
    // The schema asks for one at least.
    const [kind, another] = written as [keyof typeof NOT_FOR, keyof typeof NOT_FOR | undefined];
    if (another !== undefined) {
      return this.#note(
        [another],
        'policy.maker_choice',
        'only one of the three may be there',
        'agent, human or legacy',
      );
    }
    for (const key of NOT_FOR[kind]) {
      if (file[key] === undefined || (key === 'profile' && file.profile === 'strict')) continue;
      this.#note([key], 'policy.not_for_maker', `there is nothing of it to check in images under ${kind}`);
    }
    if (legacy !== undefined && typeof file.negatives === 'object') {
      this.#note(['negatives'], 'policy.not_for_maker', 'the policy names nobody whose rejection would count');
    }
    if (legacy !== undefined) {
      const { digests, ...rest } = legacy;
      if (rest.until !== undefined) this.#assertTime(rest.until, ['legacy', 'until']);
      return { kind: 'legacy', digests: new Set(digests), ...rest };
    }
    const rule = agent ?? (human as NonNullable<typeof human>);
    const identity = this.#authority(rule, [kind]);
    if (identity?.acceptsAgents && kind === 'human') {
      const message = 'people make these images, and this rule matches an agent';
      this.#note([kind], 'policy.human_is_agent', message, 'no subject that begins with agent:');
    }
    const { maxAge } = rule;
    if (maxAge !== undefined && identity !== undefined && identity.keys.length > 0) {
      const message = 'nobody can tell when a key signed: its signature can be logged again';
      this.#note([kind, 'maxAge'], 'policy.key_has_no_age', message, 'identities with a certificate');
    }
    return {
      kind: kind as 'agent' | 'human',
      identity: identity as IdentityRule,
      ...(maxAge === undefined ? {} : { maxAgeSeconds: secondsOf(maxAge) }),
    };
  }

  #exception(exception: NonNullable<PolicyFile['exceptions']>[number], index: number): ExceptionRule {
    const { from, until } = exception;
    const path = ['exceptions', index];
    const areTimes = [this.#assertTime(from, [...path, 'from']), this.#assertTime(until, [...path, 'until'])];
    const lasts = timestampSeconds(until) - timestampSeconds(from);
    if (areTimes.every(Boolean) && !(lasts > 0 && lasts <= LONGEST_EXCEPTION_SECONDS)) {
      const message = 'an exception ends after it begins, and within 24 hours';
      this.#note([...path, 'until'], 'policy.time_invalid', message, `at most 24 h after ${from}`);
    }
    return exception;
  }

  #assertTime(text: string, path: Path): boolean {
    if (isTimestamp(text)) return true;
    this.#note(path, 'policy.time_invalid', 'not a time that the calendar has', 'RFC 3339 in UTC');
    return false;
  }

  /** Who may sign: one identity, one key, or any of several. */
  #authority(rule: Authority, path: Path): IdentityRule | undefined {
    const { identities } = rule;
    if (identities === undefined) return this.#oneAuthority(rule, path);
    if (AUTHORITY_KEYS.some((key) => rule[key] !== undefined)) {
      const expected = 'issuer and subject, or key, or identities';
      return this.#note(path, 'policy.authority_choice', 'identities stands alone', expected);
    }
    const rules = identities.map((one, index) => this.#oneAuthority(one, [...path, 'identities', index]));
    return rules.includes(undefined) ? undefined : createAnyRule(rules as IdentityRule[]);
  }

  #oneAuthority(rule: Authority, path: Path): IdentityRule | undefined {
    const { issuer, subject, subjectRegExp, key } = rule;
    if (key === undefined) {
      if (issuer === undefined) return this.#note([...path, 'issuer'], 'policy.field_missing', 'is missing');
      return this.#identity(issuer, rule, path);
    }
    if ([issuer, subject, subjectRegExp].some((one) => one !== undefined)) {
      const expected = 'issuer and subject, or key, or identities';
      return this.#note(path, 'policy.authority_choice', 'key stands alone', expected);
    }
    return (
      createKeyRule(key) ?? this.#note([...path, 'key'], 'policy.key_invalid', 'no public key', 'PUBLIC KEY in PEM')
    );
  }

  #identity(issuer: string, { subject, subjectRegExp }: Subjects, path: Path): IdentityRule | undefined {
    if (subject !== undefined && subjectRegExp === undefined) return createExactRule(issuer, subject, this.#hearing);
    if (subject !== undefined || subjectRegExp === undefined) {
      return this.#note(path, 'policy.subject_choice', 'exactly one of the two is needed', 'subject or subjectRegExp');
    }
    const rule = createPatternRule(issuer, subjectRegExp, this.#hearing);
    return 'code' in rule ? this.#note([...path, 'subjectRegExp'], rule.code, rule.message) : rule;
  }

  /** No agent reviews, so a rule that lets one through is a mistake; under `spec` the agent's own rule is the reviewers'. */
  #reviewer(
    review: NonNullable<PolicyFile['review']>,
    { agent }: PolicyFile,
    profile: AdmissionProfile,
  ): IdentityRule | undefined {
    if (review.identities !== undefined) {
      return this.#noAgent(this.#authority(review, ['review']), ['review', 'identities']);
    }
    // Who certifies agents certifies reviewers too, unless the policy says otherwise; there is no such habit for people.
    const issuers = review.issuer === undefined ? issuersOf(agent) : [review.issuer];
    const [issuer] = issuers;
    if (issuer === undefined || issuers.length > 1) {
      // Under `spec` reviewers are agents.
      if (profile === 'spec') return NOBODY;
      const isSaid = agent !== undefined && agent.key === undefined && agent.identities === undefined;
      if (isSaid) return undefined;
      return this.#note(['review', 'issuer'], 'policy.field_missing', 'is missing', 'who certifies reviewers');
    }
    const rule = this.#identity(issuer, reviewerSubjects(review), ['review']);
    const key = review.subject === undefined ? 'subjectRegExp' : 'subject';
    return this.#noAgent(rule, ['review', key]);
  }

  #withdrawer(rule: Subjects & { readonly issuer: string }, path: Path, profile: AdmissionProfile) {
    const identity = this.#identity(rule.issuer, rule, path);
    const key = rule.subject === undefined ? 'subjectRegExp' : 'subject';
    return profile === 'spec' ? identity : this.#noAgent(identity, [...path, key]);
  }

  #noAgent(rule: IdentityRule | undefined, path: Path): IdentityRule | undefined {
    if (rule === undefined || !rule.acceptsAgents) return rule;
    const message = 'agents may not review or withdraw, and this rule matches an agent';
    return this.#note(path, 'policy.reviewer_is_agent', message, 'no subject that begins with agent:');
  }

  #domains(written: readonly string[]): PeopleDomains | undefined {
    const domains = compilePeopleDomains(written);
    if (!('invalidAt' in domains)) return domains;
    const path = ['review', 'domains', domains.invalidAt];
    return this.#note(path, 'policy.domain_invalid', 'not a domain', 'example.com, or *.example.com');
  }

  /** No statement has a short name for its type, so such a rule could never be met. */
  #refuseShortName(predicateType: string | undefined, path: Path): void {
    if (predicateType === undefined || !isShortName(predicateType)) return;
    const message = 'this is a short name; statements contain the whole URI';
    this.#note(path, 'policy.predicate_type_invalid', message, 'a URI such as https://slsa.dev/provenance/v1');
  }

  /** The list holds rejections of one type under whatever base: one of another type could be dropped without a trace. */
  #refuseUnlistedType(predicateType: string | undefined): void {
    if (predicateType === undefined || isShortName(predicateType) || isReviewType(predicateType)) return;
    const message = 'no list of standing rejections holds reviews of this type';
    const expected = `a type that ends in ${agentReviewType('')}, or negatives: none`;
    this.#note(['review', 'predicateType'], 'policy.predicate_type_invalid', message, expected);
  }

  #negatives(negatives: PolicyFile['negatives']): Policy['negatives'] | undefined {
    if (negatives === undefined || negatives === 'none') return negatives;
    const { from, signer, maxAge } = negatives;
    try {
      new URL(from);
    } catch {
      return this.#note(['negatives', 'from'], 'policy.address_invalid', 'not an address', 'https://…');
    }
    const maxAgeSeconds = maxAge === undefined ? DEFAULT_NEGATIVES_MAX_AGE_SECONDS : secondsOf(maxAge);
    return { from, signer, maxAgeSeconds };
  }

  /** Under `spec` there is one authority, the agent's: a rule for reviewers would be written and never looked at. */
  #refuseReviewIdentity(review: NonNullable<PolicyFile['review']>): void {
    for (const key of [
      'issuer',
      'subject',
      'subjectRegExp',
      'identities',
      'domains',
      'plusAddresses',
      'sameAt',
    ] as const) {
      if (review[key] === undefined) continue;
      this.#note(['review', key], 'policy.not_in_profile', 'profile spec takes reviews from the agent authority only');
    }
  }
}

function modelRule({ id, provider }: NonNullable<PolicyFile['models']>[number]): ModelRule {
  const isModel = compileNamePatterns([id]);
  return {
    description: provider === undefined ? id : `${id} of ${provider}`,
    accepts: (modelId, servedBy) => isModel(modelId) && (provider === undefined || provider === servedBy),
  };
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds of a duration as policies write it: `90s`, `15m`, `2h`, `1d`. */
export function secondsOf(duration: string): number {
  return Number(duration.slice(0, -1)) * (UNIT_SECONDS[duration.slice(-1)] as number);
}

function isShortName(predicateType: string): boolean {
  return !/[:/]/.test(predicateType);
}

/** Every issuer that certifies agents. */
function issuersOf({ issuer, identities = [] }: Authority = {}): string[] {
  return [...new Set([issuer, ...identities.map((one) => one.issuer)].flatMap((one) => one ?? []))];
}

function reviewerSubjects({ subject, subjectRegExp }: Subjects): Subjects {
  if (subject === undefined && subjectRegExp === undefined) return { subjectRegExp: DEFAULT_REVIEWER_PATTERN };
  return { subject, subjectRegExp };
}

function runTypeBeside(reviewType: string): string | undefined {
  const ending = '/agent-review/v1';
  return reviewType.endsWith(ending) ? agentRunType(reviewType.slice(0, -ending.length)) : undefined;
}
