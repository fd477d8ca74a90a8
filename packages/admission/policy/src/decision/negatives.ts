import {
  type CertificateIdentity,
  isAgentIdentity,
  isEmailAddress,
  parseReviewWithdrawal,
  type RejectedSignature,
  statedSources,
} from '@colophon/records';
import { aboutForNo, type MadeArtifact, namesNothing, rejects } from '../about/about.ts';
import { isRunType, isWithdrawalType, meaningOf } from '../meaning/meaning.ts';
import { indexOf } from '../negatives/list-index.ts';
import { type AcceptedNames, acceptedNames, mayBeNoOf, mayBeOnePerson, type Said } from '../negatives/may-be-no.ts';
import type { NegativesView, Withdrawal } from '../negatives/negatives-view.ts';
import type { IdentityRule } from '../policy/identity-rule.ts';
import type { AdmissionProfile, Policy } from '../policy/policy.ts';
import {
  approvalOf,
  negativeBy,
  personBehind,
  type Rejection,
  takesBackFor,
  withCopies,
} from '../rejection/rejection.ts';
import { isReviewType } from '../review-type/review-type.ts';
import { type Build, withSourceStatements } from './build.ts';
import { type Attestation, artifactOf, claimOf, type ImageEvidence, isAttestation } from './image-evidence.ts';
import { type Finding, shown, shownList } from './reason.ts';
import { checkYes, type ReviewContext } from './review.ts';

/** What negative words are looked for in. */
export type NegativesContext = {
  readonly policy: Policy;
  readonly profile: AdmissionProfile;
  readonly evidence: ImageEvidence;
  /** What of it may take a rejection back. */
  readonly counting: ImageEvidence;
  /** By which what was said of a commit or a tree counts for the image, and so what was said against it. */
  readonly builds: readonly Build[];
  readonly view: NegativesView;
  /** What an approval is held against, as where it is to let the image pass; asked for where there is a no to take back. */
  readonly reviewing: () => Pick<ReviewContext, 'agentSignatures' | 'agedSignatures' | 'conditions' | 'nowSeconds'>;
};

/** A negative word by whomever its certificate names, as {@link personBehind} takes it. */
export type Negative = Rejection & {
  readonly certificate_identity: CertificateIdentity;
  readonly predicate_type?: string;
};
/** A negative as early as the earliest of its copies, and the ids of them all. */
type Copied = { readonly negative: Negative; readonly ids: ReadonlySet<string> };

/** What stands against an image, and what stood against it until somebody withdrew it. */
export type FoundNegatives = {
  readonly findings: readonly Finding[];
  /** Rejections of the image that whom the policy allows withdrew, and that their own reviewer did not take back. */
  readonly withdrawn: readonly Rejection[];
  /** Every negative word about the image that the policy hears, and whether a later approval of the same person ends it. */
  readonly heard: readonly HeardNegative[];
};

/** A negative word that a policy hears, and what it makes of it. */
export type HeardNegative = { readonly negative: Negative; readonly isTakenBack: boolean };

/**
 * Every standing negative word about the image by an identity that the policy names, attached to the image or in the list,
 * and everything that may hide one. A negative word refuses, whatever else is signed. A rejection is taken back by a later
 * approval of the same person, or by a withdrawal whose signer the policy allows. What is attached and names nothing that
 * we know is about what it is attached to.
 */
export function findNegatives(context: NegativesContext): FoundNegatives {
  const { policy, evidence, counting, view } = context;
  const ear = new Ear(context);
  const own = ownTypes(policy);
  const attached = statementsOf(evidence)
    .filter(({ statement, certificate_identity: identity }) => ear.hears(identity, { statement, own }))
    .map(negativeOf)
    .map((negative) => (namesNothing(negative) ? { ...negative, images: evidence.digests } : negative));
  const image = { ...artifactOf(evidence), commits: new Set(commitsOf(context)) };
  // One that names nothing may be a copy of what is attached, whose id withdraws it.
  const listed = view.kind === 'list' ? indexOf(view.list).rejectionsOf(image) : [];
  const negatives = withoutCopies([
    ...attached,
    ...listed.filter(({ certificate_identity: identity }) => ear.hears(identity, 'listed')),
  ]);
  const approvals = approvalsIn(context);
  const withdrawals = attachedWithdrawals(counting);
  const isWithdrawn = ({ ids }: Copied) => {
    const inList = view.kind === 'list' ? [...ids].flatMap((id) => indexOf(view.list).withdrawalsOf(id)) : [];
    const all = [...withdrawals.filter(({ rejection }) => ids.has(rejection)), ...inList];
    return all.some(({ certificate_identity: identity }) => mayWithdraw(context, identity));
  };
  const heard = negatives.filter(({ negative }) => rejects(negative, image));
  const said = heard.filter(({ negative }) => {
    const rules = ear.rulesFor(negative.certificate_identity);
    const takesBack = (rule: IdentityRule) =>
      approvals.some(
        ({ word, identity, type, isYes }) =>
          rule.accepts(identity) &&
          isReviewFor(rule, type, policy) &&
          takesBackFor(word, negative, image, (one, other) => mayBeOnePerson(one, other, rule)) &&
          isYes(),
      );
    return !rules.every(takesBack);
  });
  const standing = said.filter((one) => !isWithdrawn(one));
  return {
    findings: [
      ...standing.map(({ negative }) => findingOf(negative, policy)),
      ...untimedNegatives(context, image, ear),
      ...whatIsMissing(context, ear),
    ],
    withdrawn: said.filter(isWithdrawn).map(({ negative }) => negative),
    heard: heard.map((one) => ({ negative: one.negative, isTakenBack: !said.includes(one) })),
  };
}

/** Of the names of several copies that of the list counts, by which it is withdrawn. */
function withoutCopies(negatives: readonly Negative[]): Copied[] {
  return withCopies(negatives).map(({ word, copies }) => {
    const ids = copies.flatMap(({ id }) => id ?? []);
    const id = ids.at(-1);
    return { negative: { ...word, ...(id === undefined ? {} : { id }) }, ids: new Set(ids) };
  });
}

/** Whether what a policy asks for depends on negative words at all: by the letter of the contract only `require` does. */
export function asksForNegatives(policy: Policy, profile: AdmissionProfile): boolean {
  return profile === 'strict' || policy.require.length > 0;
}

function statementsOf({ attestations, elsewhere }: ImageEvidence): Attestation[] {
  return [...attestations, ...elsewhere.filter(isAttestation)];
}

function ownTypes({ review }: Policy) {
  return { reviewType: review.predicateType, runType: review.runPredicateType };
}

/** By which rules of the policy a no counts. */
class Ear {
  readonly #rules: ReadonlyArray<{ readonly rule: IdentityRule; readonly accepted: AcceptedNames }>;

  constructor({ policy, profile, evidence }: NegativesContext) {
    const rules = hearingRules(policy, profile);
    const { signatures, attestations, elsewhere } = evidence;
    const signers = [...signatures, ...attestations, ...elsewhere].map(({ certificate_identity: signer }) => signer);
    this.#rules = rules.map((rule) => ({ rule, accepted: acceptedNames(rule, signers) }));
  }

  /** Whether what somebody signed is a no that counts. */
  hears(identity: CertificateIdentity, said: Said): boolean {
    return this.#rules.some(({ rule, accepted }) => mayBeNoOf(rule, identity, said, accepted));
  }

  /** The rules that hear the no of a certificate. */
  rulesFor(identity: CertificateIdentity): IdentityRule[] {
    const hearing = this.#rules.filter(({ rule, accepted }) => mayBeNoOf(rule, identity, 'listed', accepted));
    return hearing.map(({ rule }) => rule);
  }
}

/** The rules whose people a no counts of: by the letter of the contract only those of `require`. */
function hearingRules(policy: Policy, profile: AdmissionProfile): IdentityRule[] {
  return profile === 'strict' ? rulesOf(policy) : requiredRules(policy);
}

/**
 * Whether a policy hears a rejection by whom it names, in whatever spelling. One that stands in the list alone, because it is
 * about no image, is not heard where the policy wants no list.
 */
export function hearsRejection(
  policy: Policy,
  identity: CertificateIdentity,
  { isListedOnly }: { readonly isListedOnly: boolean },
): boolean {
  if (isListedOnly && policy.negatives === 'none') return false;
  const profile = profileFor(policy, policy.profile);
  return hearingRules(policy, profile).some((rule) => mayBeNoOf(rule, identity, 'listed'));
}

/** `spec` knows agents alone: under it nobody would look for them among images of others. */
export function profileFor({ maker }: Policy, profile: AdmissionProfile): AdmissionProfile {
  return maker.kind === 'agent' ? profile : 'strict';
}

/** Every rule of a policy that names somebody. */
export function rulesOf(policy: Policy): IdentityRule[] {
  const { maker, review, provenance } = policy;
  const makers = maker.kind === 'legacy' ? [] : [maker.identity];
  const builders = provenance === undefined ? [] : [provenance.identity];
  return [...makers, review.identity, ...builders, ...requiredRules(policy)];
}

function requiredRules({ require }: Policy): IdentityRule[] {
  return require.map(({ identity }) => identity);
}

/** Whether any rule of a policy names an identity. */
export function isNamedAnywhere(policy: Policy, identity: CertificateIdentity): boolean {
  return rulesOf(policy).some((rule) => rule.accepts(identity));
}

/**
 * What of the evidence approves, and who signed it: whose yes does not count takes nothing back. Whether it is a yes by the
 * policy costs conditions, so it is asked of those alone whom a rule names: a stranger sets no price.
 */
function approvalsIn({ policy, profile, counting, builds, reviewing }: NegativesContext) {
  const context = once(() => {
    return { ...reviewing(), policy, profile, builds, evidence: withSourceStatements(counting, builds, policy) };
  });
  return statementsOf(counting).flatMap((one) => {
    const word = approvalOf(one, policy.review.predicateType);
    if (word === undefined || policy.review.domains?.accepts(word.person.address) === false) return [];
    const isYes = once(() => checkYes(context(), one).length === 0);
    return [{ word, identity: one.certificate_identity, type: one.statement.predicateType, isYes }];
  });
}

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}

/** Whether a rule asks for reviews of a type: of one that it names, else of those that the policy knows. */
function isReviewFor(rule: IdentityRule, type: string, { review, require }: Policy): boolean {
  const named = require.find(({ identity }) => identity === rule)?.predicateType;
  return named === undefined ? review.isReview(type) : named === type;
}

/** What somebody signed, as the no that a reader hears in it. */
export function negativeOf(signature: Attestation): Negative {
  const { certificate_identity: identity, statement, bundle_digest } = signature;
  const word = negativeBy(personBehind(identity, statement), signature);
  const id = bundle_digest === undefined ? {} : { id: bundle_digest.slice('sha256:'.length) };
  return { ...word, ...id, certificate_identity: identity, predicate_type: statement.predicateType };
}

/**
 * Every commit that somebody whom the policy names says the image was made from: in a certificate, as a subject, in a run
 * or a review, of the image or of the source that it was built from, or as a source in build provenance. More commits than
 * the true one can only refuse.
 */
function commitsOf({ policy, evidence, builds }: NegativesContext): string[] {
  const { signatures, attestations } = withSourceStatements(evidence, builds, policy);
  const named = [...signatures, ...attestations].filter(({ certificate_identity: identity }) =>
    isNamedAnywhere(policy, identity),
  );
  return named.flatMap((one) => {
    const certified = claimOf(one, 'commit_sha')?.toLowerCase();
    return [...(certified === undefined ? [] : [certified]), ...(isAttestation(one) ? statedCommits(one) : [])];
  });
}

function statedCommits(attestation: Attestation): string[] {
  const { commits } = aboutForNo(attestation.statement);
  const { predicate } = attestation.statement;
  return [...commits, ...statedSources(predicate)];
}

function attachedWithdrawals(counting: ImageEvidence): Withdrawal[] {
  return statementsOf(counting)
    .filter(({ statement }) => isWithdrawalType(statement.predicateType))
    .flatMap(({ certificate_identity, statement }) => {
      const parsed = parseReviewWithdrawal(statement.predicate);
      return parsed.ok ? [{ rejection: parsed.value.rejection, certificate_identity }] : [];
    });
}

/** Who may take a rejection back: whom the policy allows, of its people's domains, and a strict policy allows no agent. */
function mayWithdraw({ policy, profile }: NegativesContext, identity: CertificateIdentity): boolean {
  if (profile !== 'spec' && isAgentIdentity(identity)) return false;
  const { address } = personBehind(identity);
  if (isEmailAddress(address) && policy.review.domains?.accepts(address) === false) return false;
  return policy.review.mayWithdraw.some((rule) => rule.accepts(identity));
}

function findingOf(
  {
    certificate_identity: identity,
    predicate_type: predicateType,
    id,
  }: Pick<Negative, 'certificate_identity' | 'predicate_type' | 'id'>,
  policy: Policy,
): Finding {
  const found = shown(id === undefined ? identity.subject : `${identity.subject}, rejection ${id}`);
  if (predicateType !== undefined && isRunType(predicateType, policy.review.runPredicateType)) {
    const message = 'The agent-run statement says that the run was not approved.';
    return { code: 'admission.run_not_approved', message, expected: 'human_review.approved is not false', found };
  }
  if (predicateType !== undefined && !isReviewType(predicateType, policy.review.predicateType)) {
    const message = 'An identity that the policy names reports that the image failed.';
    return { code: 'admission.verdict_failed', message, expected: `${predicateType} that passed`, found };
  }
  const message = 'An identity that the policy names rejected the image, or the commit that it was made from.';
  return { code: 'admission.review_rejected', message, expected: 'approved', found };
}

/** What says no, and nobody says when it was signed: it counts, and nothing can be later. */
function untimedNegatives({ policy, evidence }: NegativesContext, image: MadeArtifact, ear: Ear): Finding[] {
  const own = ownTypes(policy);
  return evidence.rejected.flatMap(({ signer, statement }) => {
    if (signer === undefined || statement === undefined || !ear.hears(signer, { statement, own })) return [];
    const about = aboutForNo(statement);
    if (!namesNothing(about) && !rejects(about, image)) return [];
    return [findingOf({ certificate_identity: signer, predicate_type: statement.predicateType }, policy)];
  });
}

/** Whether what cannot be read was signed by whom a rule hears, and is of a type that can say no. */
function mayHideNo({ signer, statement, predicate_type: type = '' }: RejectedSignature, ear: Ear): boolean {
  if (signer === undefined || statement !== undefined) return false;
  if (meaningOf({ predicateType: type, predicate: undefined }) === 'descriptive') return false;
  return ear.hears(signer, 'listed');
}

/** What may hold a negative word and was not seen. */
function whatIsMissing({ evidence, view }: NegativesContext, ear: Ear): Finding[] {
  const findings: Finding[] = [];
  const unread = [...evidence.incomplete, ...evidence.rejected.filter((one) => mayHideNo(one, ear))];
  if (unread.length > 0) {
    const message = 'Not everything that may be a signature of the image could be read.';
    const found = shownList(unread.map(({ code, message: why }) => `${code}: ${why}`));
    findings.push({ code: 'admission.evidence_incomplete', message, found });
  }
  if (view.kind === 'incomplete') {
    const message = 'The list of standing rejections is missing, outdated or not valid.';
    const found = shown(`${view.from}: ${view.message}`);
    findings.push({ code: 'admission.rejections_incomplete', message, found });
  }
  const overflows = (view.kind === 'list' ? view.list.overflows : undefined) ?? [];
  const named = overflows.filter(({ certificate_identity: identity }) => ear.hears(identity, 'listed'));
  if (named.length > 0) {
    const message =
      'Somebody whom the policy names has more rejections than the list of standing rejections holds of them.';
    const found = shownList(named.map(({ certificate_identity: { subject } }) => subject));
    findings.push({ code: 'admission.rejections_incomplete', message, found });
  }
  return findings;
}
