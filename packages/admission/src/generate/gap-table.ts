import type { AdmissionProfile } from '../policy/policy.ts';
import type { Gap, Target } from './generated-file.ts';

/** A gap of one key or rule; the key stands beside it. */
export type GapEntry = Omit<Gap, 'key'> & {
  /** In whose language; both where absent. */
  readonly to?: Target;
  /** Of policies of this profile only. */
  readonly profile?: AdmissionProfile;
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

/** Keys that name an identity in a way that no generator writes down: the rule that they stand in is not there. */
const OTHER_SIGNERS = [refuses('signers given as a list or by a key: no such policy is written down')];

/**
 * Every key of the policy file, with dots, and what of it is lost. A key speaks for all below it. Keys that are not in the
 * schema yet stand here as soon as it is known that they cannot be expressed.
 */
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
    refuses('a glob over a tag covers no image that is given by its digest too', { to: 'policy-controller' }),
  ],
  'agent.issuer': EXPRESSED,
  'agent.subject': EXPRESSED,
  'agent.subjectRegExp': EXPRESSED,
  'agent.identities': OTHER_SIGNERS,
  'agent.key': OTHER_SIGNERS,
  'review.issuer': EXPRESSED,
  'review.subject': EXPRESSED,
  'review.subjectRegExp': EXPRESSED,
  'review.identities': OTHER_SIGNERS,
  'review.key': OTHER_SIGNERS,
  'review.predicateType': EXPRESSED,
  'review.conditions': [admits('conditions in CEL are not evaluated')],
  'review.minDurationSeconds': [
    admits('a shorter duration in a run that the agent states is not seen'),
    refuses('a duration that stands in the agent-run statement alone does not count', { profile: 'spec' }),
  ],
  'review.maxAge': [admits('how old a review is does not count')],
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
  'require.predicateType': [admits('a result that is negative counts as a signature')],
  'require.identities': OTHER_SIGNERS,
  'require.key': OTHER_SIGNERS,
  require: [
    admits('one signature may meet several rules: that their signers are distinct is not asked'),
    refuses('a rule without predicateType is met by a signature of the image alone, by no statement', {
      to: 'policy-controller',
    }),
  ],
  negatives: [admits('the list of standing rejections is not read')],
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
  models: [admits('approved models are not asked for')],
  policyPacks: [admits('approved policy packs are not asked for')],
  exceptions: [refuses('exceptions do not count')],
  human: [refuses('images that people made alone have no rule of their own')],
  legacy: [refuses('images from before have no rule of their own')],
};

const STRICT = { profile: 'strict' } as const;

/** The same of rules that every policy has, by names of ours. */
export const RULE_GAPS: Readonly<Record<string, readonly GapEntry[]>> = {
  rejections: [
    admits('no rejection counts: beside an approval, of the commit alone, or in a list of rejections', {
      ...STRICT,
      to: 'policy-controller',
    }),
    admits('only a rejection that the image carries as a review counts, by whom the policy lets review', {
      ...STRICT,
      to: 'cosign',
    }),
    refuses('a rejection stands for good: no later approval by the same person takes it back', {
      ...STRICT,
      to: 'cosign',
    }),
  ],
  reviewer: [admits('the reviewer that the review names may be another than its certificate certifies', STRICT)],
  commit: [
    admits('the commit of the review is not compared with the commit that the agent made the image from', STRICT),
    admits('a certificate of the agent that names no commit counts', STRICT),
  ],
  time: [admits('a review may say that it took place after it was signed', STRICT)],
  review: [
    admits('repo, commit_sha and comment of a review may be malformed', STRICT),
    refuses('one review by an accepted reviewer that is not good refuses, also beside a good one', { to: 'cosign' }),
    refuses('a field that is blank is refused; what trim_space leaves (U+200B, U+FEFF, most controls) is not blank', {
      profile: 'spec',
    }),
  ],
  agent: [
    admits('any statement that the agent signed about the image counts as its signature', { ...STRICT, to: 'cosign' }),
    refuses('an agent-run statement does not stand for the signature of the image', {
      ...STRICT,
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
