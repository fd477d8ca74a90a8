import { isAgentIdentity, type VerifiedSignature } from '@colophon/records';
import { isRunType } from '../negatives/negative-statement.ts';
import type { AdmissionProfile, MakerRule, Policy } from '../policy/policy.ts';
import { checkRequestedModel, explainAbsence, findAgentSignatures } from './agent-signature.ts';
import { type ImageEvidence, statementTypeOf } from './image-evidence.ts';
import { type Finding, shown, shownList } from './reason.ts';
import { checkAge } from './signature-age.ts';
import { timestampSeconds } from './timestamp-seconds.ts';

/** Whose signatures stand behind an image, by the rule for its maker. */
export type MakerSignatures = {
  readonly accepted: readonly VerifiedSignature[];
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
    return { accepted: agents.accepted, findings: [...agents.findings, ...checkRequestedModel(policy, evidence)] };
  }
  const byAgents = checkNoAgent(context.all);
  if (maker.kind === 'legacy') return { accepted: [], findings: [...checkListed(maker, context), ...byAgents] };
  const people = findHumanSignatures(maker, context);
  return { accepted: people.accepted, findings: [...people.findings, ...byAgents] };
}

type Legacy = Extract<MakerRule, { readonly kind: 'legacy' }>;
type Human = Exclude<MakerRule, Legacy>;

function findHumanSignatures({ identity: rule, maxAgeSeconds }: Human, context: MakerContext): MakerSignatures {
  const { evidence, nowSeconds } = context;
  const { signatures } = evidence;
  const absent = { accepted: [], findings: [explainAbsence(evidence, (type) => type === undefined)] };
  if (signatures.length === 0) return absent;
  const approved = signatures.filter(({ certificate_identity: identity }) => rule.accepts(identity));
  if (approved.length === 0) {
    const message = 'The image is signed, but not by anybody whom the policy approves.';
    const found = shownList(
      signatures.map(({ certificate_identity: { subject, issuer } }) => `${subject} of ${issuer}`),
    );
    return {
      accepted: [],
      findings: [{ code: 'admission.human_not_approved', message, expected: rule.description, found }],
    };
  }
  const accepted = approved.filter((one) => checkAge(one, maxAgeSeconds, nowSeconds).length === 0);
  if (accepted.length > 0) return { accepted, findings: [] };
  return { accepted, findings: approved.flatMap((one) => checkAge(one, maxAgeSeconds, nowSeconds)) };
}

/** The rule for people's images lets no agent's through: what an agent signed, or says that it made, is an agent's. */
function checkNoAgent({ signatures, attestations }: ImageEvidence): Finding[] {
  const byAgents = [...signatures, ...attestations].filter((one) => {
    const type = statementTypeOf(one);
    return isAgentIdentity(one.certificate_identity) && (type === undefined || isRunType(type));
  });
  if (byAgents.length === 0) return [];
  const message = 'The policy is for images that no agent made, and an agent signed this one.';
  const found = shownList(byAgents.map(({ certificate_identity: { subject, issuer } }) => `${subject} of ${issuer}`));
  return [{ code: 'admission.made_by_agent', message, found }];
}

function checkListed({ digests, until }: Legacy, { digest, nowSeconds }: MakerContext): Finding[] {
  if (!digests.has(digest)) {
    const message = 'The policy names other images that need no signature.';
    return [{ code: 'admission.legacy_not_listed', message, expected: shownList([...digests]), found: shown(digest) }];
  }
  if (until === undefined || (nowSeconds !== undefined && nowSeconds < timestampSeconds(until))) return [];
  const message = 'The time for which the image needed no signature is over.';
  return [{ code: 'admission.legacy_ended', message, expected: `before ${until}` }];
}
