import { type PolicyDocument, readPolicyFile } from '@colophon/policy-file';
import {
  agentReviewType,
  agentRunType,
  type ClaimSource,
  DEFAULT_PREDICATE_BASE,
  type SourcedClaim,
} from '@colophon/records';
import { type Condition, compileCondition } from '../condition/condition.ts';
import { compileImageGlob, type ImageGlob } from '../image/image-glob.ts';
import { createExactRule, createPatternRule, type IdentityRule } from './identity-rule.ts';
import type { PolicyIssue, PolicyIssueCode } from './policy-issue.ts';
import { POLICY_SCHEMA, type PolicyFile } from './policy-schema.ts';

/** Who may review when a policy does not say: reviewers with a token of their own. */
export const DEFAULT_REVIEWER_PATTERN = '^reviewer:.*';

/** `spec` is contract §5.3 to the letter. */
export type AdmissionProfile = 'strict' | 'spec';

/** A policy file, checked and compiled. */
export type Policy = {
  readonly name: string;
  readonly images: readonly ImageGlob[];
  readonly agent: IdentityRule;
  readonly review: {
    readonly identity: IdentityRule;
    readonly predicateType: string;
    /** The agent-run type of the same family, where the length of a review may stand too. */
    readonly runPredicateType: string;
    readonly conditions: readonly Condition[];
    readonly minDurationSeconds?: number;
  };
  readonly sources: ReadonlyMap<SourcedClaim, readonly ClaimSource[]>;
  readonly require: ReadonlyArray<{ readonly identity: IdentityRule; readonly predicateType?: string }>;
  readonly mode: 'enforce' | 'audit';
  readonly profile: AdmissionProfile;
};

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
    { ...file, name: file.name ?? name ?? file.images[0] ?? '' },
    predicateBase,
  );
}

type Path = readonly (string | number)[];
type Subjects = { readonly subject?: string; readonly subjectRegExp?: string };

class PolicyCompiler {
  readonly #document: PolicyDocument;
  readonly #issues: PolicyIssue[] = [];

  constructor(document: PolicyDocument) {
    this.#document = document;
  }

  compile(file: PolicyFile & { readonly name: string }, predicateBase: string): ParsedPolicy {
    const { profile = 'strict', mode = 'enforce', review = {} } = file;
    const images = file.images.map((glob, index) => this.#imageGlob(glob, ['images', index]));
    const agent = this.#identity(file.agent.issuer, file.agent, ['agent']);
    if (profile === 'spec') this.#refuseReviewIdentity(review);
    const reviewer = this.#identity(review.issuer ?? file.agent.issuer, reviewerSubjects(review), ['review']);
    const conditions = (review.conditions ?? []).map((text, i) => this.#condition(text, ['review', 'conditions', i]));
    const require = (file.require ?? []).map((rule, index) => ({
      identity: this.#identity(rule.issuer, rule, ['require', index]),
      ...(rule.predicateType === undefined ? {} : { predicateType: rule.predicateType }),
    }));
    if (this.#issues.length > 0) return { ok: false, issues: this.#issues };
    const predicateType = review.predicateType ?? agentReviewType(predicateBase);
    return {
      ok: true,
      value: {
        name: file.name,
        images: images as ImageGlob[],
        agent: agent as IdentityRule,
        review: {
          identity: reviewer as IdentityRule,
          predicateType,
          runPredicateType: runTypeBeside(predicateType) ?? agentRunType(predicateBase),
          conditions: conditions as Condition[],
          ...(review.minDurationSeconds === undefined ? {} : { minDurationSeconds: review.minDurationSeconds }),
        },
        sources: new Map(Object.entries(file.sources ?? {}) as Array<[SourcedClaim, ClaimSource[]]>),
        require: require as Policy['require'],
        mode,
        profile,
      },
    };
  }

  #note(path: Path, code: PolicyIssueCode, message: string, expected?: string): undefined {
    this.#issues.push(this.#document.issueAt(path, code, message, expected));
  }

  #imageGlob(text: string, path: Path): ImageGlob | undefined {
    return compileImageGlob(text) ?? this.#note(path, 'policy.glob_invalid', 'not a glob over image references');
  }

  #condition(text: string, path: Path): Condition | undefined {
    const condition = compileCondition(text);
    return condition.ok ? condition : this.#note(path, 'policy.condition_invalid', condition.message);
  }

  #identity(issuer: string, { subject, subjectRegExp }: Subjects, path: Path): IdentityRule | undefined {
    if (subject !== undefined && subjectRegExp === undefined) return createExactRule(issuer, subject);
    if (subject !== undefined || subjectRegExp === undefined) {
      return this.#note(path, 'policy.subject_choice', 'exactly one of the two is needed', 'subject or subjectRegExp');
    }
    const rule = createPatternRule(issuer, subjectRegExp);
    return 'code' in rule ? this.#note([...path, 'subjectRegExp'], rule.code, rule.message) : rule;
  }

  /** Under `spec` there is one authority, the agent's: a rule for reviewers would be written and never looked at. */
  #refuseReviewIdentity(review: NonNullable<PolicyFile['review']>): void {
    for (const key of ['issuer', 'subject', 'subjectRegExp'] as const) {
      if (review[key] === undefined) continue;
      this.#note(['review', key], 'policy.not_in_profile', 'profile spec takes reviews from the agent authority only');
    }
  }
}

function reviewerSubjects({ subject, subjectRegExp }: Subjects): Subjects {
  if (subject === undefined && subjectRegExp === undefined) return { subjectRegExp: DEFAULT_REVIEWER_PATTERN };
  return { ...(subject === undefined ? {} : { subject }), ...(subjectRegExp === undefined ? {} : { subjectRegExp }) };
}

function runTypeBeside(reviewType: string): string | undefined {
  const ending = '/agent-review/v1';
  return reviewType.endsWith(ending) ? agentRunType(reviewType.slice(0, -ending.length)) : undefined;
}
