import type { AdmissionProfile, MakerRule } from '../policy/policy.ts';
import type { Gap, Target } from './generated-file.ts';

/** A gap of one key or rule; the key stands beside it. */
export type GapEntry = Omit<Gap, 'key'> & {
  /** In whose language; both where absent. */
  readonly to?: Target;
  /** Of policies of this profile only. */
  readonly profile?: AdmissionProfile;
  /** Of policies for the images of these only. */
  readonly maker?: MakerRule['kind'];
  /** Of policies that ask for a review, or for what may be one; or of those that do not. */
  readonly reviewed?: boolean;
  /** Of policies in which the key has this value only. */
  readonly value?: string;
};

const EXPRESSED: readonly GapEntry[] = [];
const admits = (what: string, only: Omit<GapEntry, 'effect' | 'what'> = {}): GapEntry => ({
  effect: 'admits',
  what,
  ...only,
});
const refuses = (what: string, only: Omit<GapEntry, 'effect' | 'what'> = {}): GapEntry => ({
  effect: 'refuses',
  what,
  ...only,
});

/** Rows that speak for every key below their own: nothing of it is written down. */
export const LOST_WITH_ALL_BELOW: ReadonlySet<string> = new Set([
  'legacy',
  'models',
  'policyPacks',
  'exceptions',
  'review.mayWithdraw',
  'sources',
  'provenance',
  'negatives',
]);

/** That a key names signers is written down, in each of its forms. */
const signers = (key: string): Record<string, readonly GapEntry[]> =>
  Object.fromEntries(
    ['issuer', 'subject', 'subjectRegExp', 'key']
      .flatMap((form) => [`${key}.${form}`, `${key}.identities.${form}`])
      .map((path) => [path, EXPRESSED]),
  );

const SIGNATURE_AGE = [admits('how old the signature is does not count')];

/** Every key of the policy file, with dots, and what of it is lost. */
export const KEY_GAPS: Readonly<Record<string, readonly GapEntry[]>> = {
  version: EXPRESSED,
  name: EXPRESSED,
  images: [
    admits('which images are covered: cosign asks about any image that it is given', { to: 'cosign' }),
    admits(
      'an image that no policy covers is refused only with no-match-policy: deny, and only in labelled namespaces',
      {
        to: 'policy-controller',
      },
    ),
    admits('a star may reach over the name into the tag or the digest', { to: 'policy-controller' }),
    refuses('a glob over a tag covers no image that is given by its digest too', { to: 'policy-controller' }),
  ],
  ...signers('agent'),
  'agent.maxAge': SIGNATURE_AGE,
  human: [
    admits('an image counts that an agent signed or made too'),
    admits('any statement that its maker signed about the image counts as its signature', { to: 'cosign' }),
  ],
  ...signers('human'),
  'human.maxAge': SIGNATURE_AGE,
  legacy: [refuses('no policy is written down: neither program limits what passes to the listed digests')],
  'review.issuer': EXPRESSED,
  'review.subject': EXPRESSED,
  'review.subjectRegExp': EXPRESSED,
  'review.identities': [
    admits('of several reviewers, a rejection by one does not count beside an approval by another', { to: 'cosign' }),
  ],
  'review.identities.issuer': EXPRESSED,
  'review.identities.subject': EXPRESSED,
  'review.identities.subjectRegExp': EXPRESSED,
  'review.domains': [
    admits('the domain is asked of the reviewer whom the review names, and not of its certificate', {
      profile: 'strict',
    }),
  ],
  'review.predicateType': EXPRESSED,
  'review.conditions': [admits('conditions in CEL are not evaluated')],
  'review.minDurationSeconds': [
    admits('a shorter duration in a run that the agent states is not seen'),
    refuses('a duration that stands in the agent-run statement alone does not count', { profile: 'spec' }),
  ],
  'review.maxAge': [admits('how old a review is does not count')],
  'review.plusAddresses': [admits('a rejection by an address with another tag does not count')],
  'review.sameAt': [admits('a rejection that another issuer certified does not count')],
  'review.mayWithdraw': [
    refuses('a rejection that was withdrawn still refuses', { to: 'cosign', profile: 'strict' }),
    admits('no rejection counts, withdrawn or not', { to: 'policy-controller' }),
  ],
  sources: [admits('the sources of claims do not count')],
  provenance: [
    admits('build provenance is not asked for, and the source that it names is not compared with the review'),
    refuses('a review that names the commit alone, and not the image, does not count'),
  ],
  'require.issuer': EXPRESSED,
  'require.subject': EXPRESSED,
  'require.subjectRegExp': EXPRESSED,
  'require.key': EXPRESSED,
  'require.predicateType': [admits('a result that is negative counts as a signature')],
  require: [
    admits('one signature may meet several rules: that their signers are distinct is not asked'),
    admits('a rule without predicateType is met by any statement of its signer, whatever that says', { to: 'cosign' }),
    admits('a rejection by a required signer does not count', { profile: 'spec' }),
    refuses('a rule without predicateType is met by a signature of the image alone, by no statement', {
      to: 'policy-controller',
    }),
  ],
  negatives: [admits('the list of standing rejections is not read')],
  contradictions: [admits('what signed statements say is not held against each other', { value: 'refuse' })],
  signatureFormat: [
    refuses('policy-controller 0.14.0 and 0.15.1 refuse every image whose signatures are bundles', {
      to: 'policy-controller',
    }),
    admits('where an image has no bundle, cosign reads the older format', { to: 'cosign' }),
  ],
  mode: [
    refuses('mode audit: the script fails like any other check, and who calls it decides', {
      to: 'cosign',
      value: 'audit',
    }),
  ],
  profile: EXPRESSED,
  models: [admits('which model the agent ran on does not count')],
  modelAsRequested: [admits('a run counts whatever model answered, and no run is asked for')],
  policyPacks: [admits('under which policy pack the agent ran does not count')],
  exceptions: [refuses('no exception counts')],
};

const STRICT = { profile: 'strict' } as const;
const STRICT_REVIEW = { ...STRICT, reviewed: true } as const;
const STRICT_AGENT = { ...STRICT, maker: 'agent' } as const;

/** The same of rules that every policy has, by names of ours. */
export const RULE_GAPS: Readonly<Record<string, readonly GapEntry[]>> = {
  rejections: [
    admits('no rejection counts: beside an approval, of the commit alone, or in a list of rejections', {
      ...STRICT,
      to: 'policy-controller',
    }),
    admits('no rejection counts', { ...STRICT, reviewed: false, to: 'cosign' }),
    admits('only a rejection that the image carries as a review counts, by whom the policy lets review', {
      ...STRICT_REVIEW,
      to: 'cosign',
    }),
    admits('a rejection under another spelling of an accepted reviewer does not count', {
      ...STRICT_REVIEW,
      to: 'cosign',
    }),
    refuses('a rejection stands for good: no later approval by the same person takes it back', {
      ...STRICT_REVIEW,
      to: 'cosign',
    }),
  ],
  reviewer: [
    admits('the reviewer that the review names may be another than its certificate certifies', STRICT_REVIEW),
    admits(
      'who signed the review may be an agent, or no person, under a name that the policy lets review',
      STRICT_REVIEW,
    ),
  ],
  commit: [
    admits('the commit of the review is not compared with the commit that the image was made from', STRICT_REVIEW),
    admits('a signature of the agent that names no commit counts', STRICT_AGENT),
  ],
  time: [admits('a review may say that it took place after it was signed', STRICT_REVIEW)],
  review: [
    admits('each subject of a review is approved, also a manifest of an index that its target does not name', {
      reviewed: true,
    }),
    admits('repo, commit_sha and comment of a review may be malformed', STRICT_REVIEW),
    refuses('one review by an accepted reviewer that is not good refuses, also beside a good one', {
      reviewed: true,
      to: 'cosign',
    }),
    refuses('a field that is blank is refused; what trim_space leaves (U+200B, U+FEFF, most controls) is not blank', {
      profile: 'spec',
    }),
  ],
  agent: [
    admits('any statement that the agent signed about the image counts as its signature', {
      ...STRICT_AGENT,
      to: 'cosign',
    }),
    refuses('an agent-run statement does not stand for the signature of the image', {
      ...STRICT_AGENT,
      to: 'policy-controller',
    }),
  ],
  purpose: [admits('a certificate counts for everything, also one that was issued to sign commits or reviews alone')],
  evidence: [admits('an attachment that could not be read is passed over')],
  trust: [
    admits('a TrustRoot has no times: a key of a log or an authority counts beyond its validity', {
      to: 'policy-controller',
    }),
    refuses('the keys of all logs have to be ECDSA, as those of Rekor v1 are', { to: 'policy-controller' }),
  ],
};
