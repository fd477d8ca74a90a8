import type { Policy } from '../policy/policy.ts';
import type { PolicyFile } from '../policy/policy-schema.ts';
import { durationWords } from './duration-words.ts';

/** Keys of a policy file that no sentence speaks of: the version is always 1, and the name stands in front of them all. */
type NotSpoken = 'version' | 'name';

/** What each key of a policy file, or its absence, means for an image; in the order in which it is said. */
const SPEAKERS: Readonly<Record<Exclude<keyof PolicyFile, NotSpoken>, (policy: Policy) => readonly string[]>> = {
  images: ({ images }) => [`The policy covers images whose name matches ${listed(images.map(({ text }) => text))}.`],
  agent: agentSentences,
  human: humanSentences,
  legacy: legacySentences,
  models: ({ models }) =>
    models === undefined
      ? []
      : [`The agent's certificate names one of these models: ${listed(models.map(({ description }) => description))}.`],
  modelAsRequested: ({ modelAsRequested }) =>
    modelAsRequested
      ? ['Every run of the agent says which model was requested, and no other model answered; there is one such run.']
      : [],
  policyPacks: ({ policyPacks }) => {
    if (policyPacks === undefined) return [];
    const packs = [...policyPacks].map(([hash, name]) => `${quoted(name)} (${hash})`);
    return [`The agent's certificate names one of these policy packs: ${listed(packs)}.`];
  },
  sources: sourceSentences,
  review: reviewSentences,
  provenance: provenanceSentences,
  require: ({ require }) =>
    require.map(({ identity, predicateType }) =>
      predicateType === undefined
        ? `There is also a signature or an attestation by ${identity.description}.`
        : `There is also an attestation of the type ${predicateType} by ${identity.description}.`,
    ),
  signatureFormat: ({ signatureFormat, maker }) => {
    if (maker.kind === 'legacy') return [];
    return signatureFormat === undefined
      ? ['Signatures count as bundles and under the tags .sig and .att.']
      : ['Signatures count as bundles only; what stands under the tags .sig and .att counts for nothing but a no.'];
  },
  negatives: negativesSentences,
  contradictions: ({ contradictions, maker }) => {
    if (maker.kind === 'legacy') return [];
    return contradictions === 'refuse'
      ? ['What signers that the policy names say cannot contradict itself.']
      : ['Where what signers that the policy names say contradicts itself, there is a warning.'];
  },
  exceptions: ({ exceptions }) =>
    exceptions.map(
      ({ digest, owner, reason, from, until }) =>
        `From ${from} until ${until} the image ${digest} passes although evidence is missing, unless somebody said no: ` +
        `${quoted(owner)} answers for it, because ${quoted(reason)}.`,
    ),
  profile: ({ profile, maker }) =>
    profile === 'spec'
      ? ['The profile is spec: contract §5.3 to the letter, where the agents of the policy sign the review too.']
      : maker.kind === 'agent'
        ? ['The profile is strict: no agent reviews, and a certificate contradicts nothing that its holder signed.']
        : [],
  mode: ({ mode }) =>
    mode === 'audit'
      ? ['The mode is audit: everything else would be refused, and is admitted with a warning.']
      : ['Everything else is refused.'],
};

/** Says what a policy admits, a sentence for each rule. Everything that has to hold is said; texts of the file are quoted. */
export function policySentences(policy: Policy): string[] {
  return Object.values(SPEAKERS).flatMap((speak) => speak(policy));
}

function agentSentences({ maker, agent, profile }: Policy): string[] {
  if (maker.kind !== 'agent') return [];
  const what =
    profile === 'spec' ? 'the image, or any statement about it' : 'the image, or a whole statement of its run';
  const commit = profile === 'spec' ? [] : ["The agent's certificate names the commit that the image was made from."];
  return [`An approved agent signed ${what}: ${agent.description}.`, ...agedSignature(maker.maxAgeSeconds), ...commit];
}

function humanSentences({ maker }: Policy): string[] {
  if (maker.kind !== 'human') return [];
  return [
    `A person or their build signed the image itself: ${maker.identity.description}.`,
    ...agedSignature(maker.maxAgeSeconds),
    'No agent signed it.',
  ];
}

function legacySentences({ maker }: Policy): string[] {
  if (maker.kind !== 'legacy') return [];
  const { digests, owner, reason, until } = maker;
  return [
    `The image needs no signature, and is one of these: ${listed([...digests])}.`,
    `${quoted(owner)} answers for them, because ${quoted(reason)}.`,
    'No agent signed it.',
    until === undefined ? 'This has no end.' : `From ${until} on they are refused.`,
  ];
}

function agedSignature(maxAgeSeconds: number | undefined): string[] {
  return maxAgeSeconds === undefined ? [] : [`This signature is at most ${durationWords(maxAgeSeconds)} old.`];
}

function sourceSentences({ sources, maker }: Policy): string[] {
  if (maker.kind !== 'agent') return [];
  if (sources.size === 0) return ["Every claim in the agent's certificate may be the agent's own word."];
  return [...sources].map(([claim, accepted]) => `The agent's certificate has ${claim} from ${listed(accepted)}.`);
}

function reviewSentences({ review, profile, agent, written }: Policy): string[] {
  if (!review.isRequired) return ['No review is asked for.'];
  const by = profile === 'spec' ? agent.description : review.identity.description;
  const type =
    written?.file.review?.predicateType === undefined ? [] : [`The review is of the type ${review.predicateType}.`];
  const { maxAgeSeconds, minDurationSeconds, conditions, mayWithdraw, domains } = review;
  const { plusAddresses, sameAt = [] } = review.identity.hearing;
  return [
    `A review of the image was signed by ${by}.`,
    ...(domains === undefined ? [] : [`The reviewer's address is of one of these domains: ${domains.description}.`]),
    ...type,
    profile === 'spec'
      ? 'The review names a reviewer and a time.'
      : 'The review names its signer, a time, and the commit that the image was made from.',
    ...(maxAgeSeconds === undefined ? [] : [`The review is at most ${durationWords(maxAgeSeconds)} old.`]),
    ...(minDurationSeconds === undefined ? [] : [`The review took at least ${durationWords(minDurationSeconds)}.`]),
    ...conditions.map(({ text }) => `This holds of the review: ${text}`),
    ...(plusAddresses === undefined ? [] : ['In a no, what follows the + of an address does not count.']),
    ...(sameAt.length === 0 ? [] : [`A no counts too where ${either(sameAt)} certifies the same address.`]),
    mayWithdraw.length === 0
      ? 'Nobody may withdraw the rejection of somebody else.'
      : `The rejection of somebody else may be withdrawn by ${either(mayWithdraw.map(({ description }) => description))}.`,
  ];
}

function provenanceSentences({ provenance, maker }: Policy): string[] {
  if (provenance === undefined) {
    return maker.kind === 'legacy'
      ? []
      : ['No build provenance is asked for: the review itself, if any, names the image.'];
  }
  const { identity, builderId, sourceRepository } = provenance;
  return [
    `SLSA provenance v1 names the image and the one commit that it was built from, signed by ${identity.description}.`,
    'The review, if any, is about that commit.',
    ...(builderId === undefined ? [] : [`The provenance names the builder ${builderId}.`]),
    sourceRepository === undefined
      ? 'The source may be any repository.'
      : `The source is the repository ${sourceRepository}.`,
  ];
}

function negativesSentences(policy: Policy): string[] {
  const { negatives } = policy;
  const named = namedForNo(policy);
  const whose =
    named.length === 0
      ? "Nobody's no counts: the policy names nobody whose it would be."
      : `A no by ${either(named)} refuses the image, whatever else is signed.`;
  if (negatives === 'none') return [whose, 'Rejections are looked for in the registry alone.'];
  if (negatives === undefined) {
    return [whose, 'Rejections are looked for in the registry, and in the list of the configured evidence store.'];
  }
  const { from, signer, maxAgeSeconds } = negatives;
  return [
    whose,
    `Rejections are looked for in the registry, and in the list at ${from}, signed by ${signer.subject} of ${signer.issuer} ` +
      `at most ${durationWords(maxAgeSeconds)} ago; without that list the image is refused.`,
  ];
}

/** In words, whose negative results count. */
export function namedForNo({ review, provenance, require, maker, profile }: Policy): string[] {
  const required = require.length > 0 ? ['a required signer'] : [];
  if (profile === 'spec') return required;
  return [
    ...(maker.kind === 'agent' ? ['an approved agent'] : []),
    ...(review.isRequired ? ['an accepted reviewer'] : []),
    ...(provenance === undefined ? [] : ['the build runner']),
    ...required,
  ];
}

/** Free text of the file, so that nobody takes it for a sentence of ours. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function listed(texts: readonly string[]): string {
  return texts.join(', ');
}

function either(texts: readonly string[]): string {
  return texts.length < 2 ? (texts[0] ?? 'nobody') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}
