import { isAgentIdentity, type VerifiedSignature } from '@colophon/records';
import type { AdmissionProfile, MakerRule, Policy } from '../policy/policy.ts';
import { checkRequestedModel, explainAbsence, findAgentSignatures, NO_SIGNATURES } from './agent-signature.ts';
import { type ImageEvidence, statementTypeOf } from './image-evidence.ts';
import { type Finding, shown, shownList } from './reason.ts';
import { checkAge } from './signature-age.ts';
import { timestampSeconds } from './timestamp-seconds.ts';

/** Whose signatures stand behind an image, by the rule for its maker. */
export type MakerSignatures = {
  readonly accepted: readonly VerifiedSignature[];
  /** Those that meet every rule but the one of age. */
  readonly aged: readonly VerifiedSignature[];
  readonly findings: readonly Finding[];
};

/** What is asked of who made the image. */
export type MakerContext = {
  readonly policy: Policy;
  readonly profile: AdmissionProfile;
  /** What may say yes. */
  readonly evidence: ImageEvidence;
  /** All of it, also what may not: that an agent made the image is looked for everywhere. */
  readonly all: ImageEvidence;
  /** Digest of the image, `sha256:<hex>`. */
  readonly digest: string;
  readonly nowSeconds: number | undefined;
};

/** Finds the signatures of the image's maker: an approved agent, a person or their build, or nobody for a listed digest. */
export function findMakerSignatures(context: MakerContext): MakerSignatures {
  const { policy, profile, evidence, nowSeconds } = context;
  const { maker } = policy;
  if (maker.kind === 'agent') {
    const agents = findAgentSignatures(policy, profile, evidence, nowSeconds);
    return {
      ...agents,
      findings: [...agents.findings, ...checkRequestedModel(policy, profile, context)],
    };
  }
  const byAgents = checkNoAgent(context.all);
  if (maker.kind === 'legacy') return { ...NO_SIGNATURES, findings: [...checkListed(maker, context), ...byAgents] };
  const people = findHumanSignatures(maker, context);
  return { ...people, findings: [...people.findings, ...byAgents] };
}

type Legacy = Extract<MakerRule, { readonly kind: 'legacy' }>;
type Human = Exclude<MakerRule, Legacy>;

function findHumanSignatures({ identity: rule, maxAgeSeconds }: Human, context: MakerContext): MakerSignatures {
  const { evidence, nowSeconds } = context;
  const { signatures } = evidence;
  if (signatures.length === 0) {
    return { ...NO_SIGNATURES, findings: [explainAbsence(evidence, (type) => type === undefined)] };
  }
  const approved = signatures.filter(({ certificate_identity: identity }) => rule.accepts(identity));
  if (approved.length === 0) {
    const message = 'The image is signed, but not by anybody whom the policy approves.';
    const found = shownList(
      signatures.map(({ certificate_identity: { subject, issuer } }) => `${subject} of ${issuer}`),
    );
    return {
      ...NO_SIGNATURES,
      findings: [{ code: 'admission.human_not_approved', message, expected: rule.description, found }],
    };
  }
  const isYoung = (one: VerifiedSignature) => checkAge(one, maxAgeSeconds, nowSeconds).length === 0;
  const accepted = approved.filter(isYoung);
  const aged = approved.filter((one) => !isYoung(one));
  if (accepted.length > 0) return { accepted, aged, findings: [] };
  return { accepted, aged, findings: approved.flatMap((one) => checkAge(one, maxAgeSeconds, nowSeconds)) };
}

/** Runs and build provenance of other versions, which may not be what we know, and say all the same that an agent worked. */
const LIKE_A_RUN = /(?:^|\/)agent-run(?:\/|$)/i;
const PROVENANCE = /(?:^|[/-])provenance(?:\/|$)/i;

/**
 * The rule for people's images lets no agent's through. An agent made what an agent signed or built, and what a run says
 * that one made, whoever signed the run: the image, a manifest in it, or a commit and no other image.
 */
function checkNoAgent(evidence: ImageEvidence): Finding[] {
  const { signatures, attestations, elsewhere } = evidence;
  const ofParts = elsewhere.filter((one) => isOfPart(one, evidence));
  const byAgents = [...signatures, ...attestations, ...ofParts].filter((one) => {
    const type = statementTypeOf(one);
    if (type !== undefined && LIKE_A_RUN.test(type)) return true;
    return isAgentIdentity(one.certificate_identity) && (type === undefined || PROVENANCE.test(type));
  });
  if (byAgents.length === 0) return [];
  const message = 'The policy is for images that no agent made, and an agent made this one.';
  const found = shownList(byAgents.map(({ certificate_identity: { subject, issuer } }) => `${subject} of ${issuer}`));
  return [{ code: 'admission.made_by_agent', message, found }];
}

function isOfPart({ statement, artifact_digest: artifact }: VerifiedSignature, { digests }: ImageEvidence): boolean {
  if (statement === undefined) return digests.includes(artifact as string);
  const names = statement.subject.flatMap(({ digest }) => Object.entries(digest));
  const images = names.filter(([algorithm]) => algorithm === 'sha256');
  return images.length === 0 || images.some(([, hex]) => digests.includes(`sha256:${hex}`));
}

function checkListed({ digests, until }: Legacy, { digest, nowSeconds }: MakerContext): Finding[] {
  if (!digests.has(digest)) {
    const message = 'The policy names other images that need no signature.';
    return [{ code: 'admission.legacy_not_listed', message, expected: shownList([...digests]), found: shown(digest) }];
  }
  if (until === undefined || (nowSeconds ?? Number.NaN) < timestampSeconds(until)) return [];
  const message = 'The time for which the image needed no signature is over.';
  return [{ code: 'admission.legacy_ended', message, expected: `before ${until}` }];
}
