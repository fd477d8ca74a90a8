import {
  type AdmissionProfile,
  type AdmissionReason,
  coveringPolicies,
  type NegativesSource,
  type NegativesView,
  type Policy,
} from '@colophon/admission';
import { RegistryError, type TrustMaterial } from '@colophon/sigstore';
import { explainImage } from '../explanation/explain-image.ts';
import type { EvidenceExplanation } from '../explanation/explanation-result.ts';
import { type AssessedImage, assessMaterial, keysOf } from '../image-gate/image-material.ts';
import { negativesOfIssuer } from '../standing-negatives/negatives-of-issuer.ts';
import { CLOCK_SKEW_MS, readStandingNegatives } from '../standing-negatives/read-standing-negatives.ts';
import type { OpenedPack } from './open-pack.ts';
import { PackError } from './pack-error.ts';

export type ExplainPackOptions = {
  readonly trust: TrustMaterial;
  readonly policies: readonly Policy[];
  readonly profile?: AdmissionProfile | undefined;
  /** When it is decided; without it nothing that depends on the time lets an image pass. */
  readonly now?: Date | undefined;
};

/**
 * Explains the image of a pack under the given roots, and decides by the given policies. No network, no clock, no memory:
 * certificates count by the signed times beside them, and a list of rejections by the time at which the pack says that it
 * was made. That time cannot be before a signature in the pack, so a list from before what it should speak of is too old.
 *
 * A policy that names no list asks for that of its agent's issuer: a pack may have left rejections out. A policy that does
 * not cover the image refuses, because the name of the image is the pack's own word and must choose no policy.
 * @throws PackError `pack.malformed` for an image index that is not whole
 */
export async function explainPack(
  pack: OpenedPack,
  { trust, policies, profile, now }: ExplainPackOptions,
): Promise<EvidenceExplanation> {
  const { material } = pack;
  const assessed = await assess(material, trust, keysOf(policies));
  const newest = newestTime(assessed);
  const explained = await explainImage(assessed, {
    policies,
    profile,
    now,
    place: 'pack',
    places: [{ place: 'pack', state: 'asked', detail: `made at ${pack.createdAt}, by its own word` }, ...NOT_ASKED],
    negatives: async (policy) => {
      if (policy === undefined)
        return { kind: 'incomplete', from: 'the pack', message: 'no policy says whose list counts' };
      if (policy.negatives === 'none') return { kind: 'registry-only' };
      const [issuer] = policy.maker.kind === 'legacy' ? [] : policy.maker.identity.issuers;
      const source = policy.negatives ?? (issuer === undefined ? undefined : negativesOfIssuer(issuer));
      if (source !== undefined) return viewOf(source, pack, trust, newest);
      return { kind: 'incomplete', from: 'the pack', message: 'the policy names neither a list nor an issuer' };
    },
  });
  return withUncovered(explained, policies, material.reference);
}

const NOT_ASKED = (['registry', 'evidence-store', 'log', 'rejection-list'] as const).map(
  (place) => ({ place, state: 'not-asked', detail: 'offline' }) as const,
);

/** The list in the pack that the source's signer signed, the newest of several. */
async function viewOf(
  source: NegativesSource,
  { material, createdAt }: OpenedPack,
  trust: TrustMaterial,
  newest: number,
): Promise<NegativesView> {
  const { from } = source;
  const now = new Date(createdAt);
  if (newest > now.getTime() + CLOCK_SKEW_MS) {
    const message = `the pack says that it was made at ${createdAt}, before a signature in it`;
    return { kind: 'incomplete', from, message };
  }
  const views = await Promise.all(material.lists.map((list) => readStandingNegatives(list, { source, trust, now })));
  const [best] = views
    .flatMap((view) => (view.kind === 'list' ? [view] : []))
    .sort((one, other) => other.list.sequence - one.list.sequence);
  return (
    best ??
    views[0] ?? { kind: 'incomplete', from, message: `the pack holds no list signed by ${source.signer.subject}` }
  );
}

/** @throws PackError `pack.malformed` for an index that is not whole */
async function assess(
  material: OpenedPack['material'],
  trust: TrustMaterial,
  keys: readonly string[],
): Promise<AssessedImage> {
  try {
    return await assessMaterial(material, trust, { keys });
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw new PackError('pack.malformed', `the manifests in the pack are not whole: ${error.message}`, {});
  }
}

function newestTime({ verification, ofManifests }: AssessedImage): number {
  const verified = [...('overcrowded' in verification ? [] : verification.verified), ...ofManifests.verified];
  return Math.max(0, ...verified.map(({ log_entry }) => Date.parse(log_entry.integrated_at)));
}

function withUncovered(
  explained: EvidenceExplanation,
  policies: readonly Policy[],
  reference: string,
): EvidenceExplanation {
  const covering = new Set(coveringPolicies(reference, policies));
  const others = policies.filter((policy) => !covering.has(policy));
  const { admission } = explained;
  if (admission === undefined || covering.size === 0 || others.length === 0) return explained;
  const reasons = others.map(
    ({ name }): AdmissionReason => ({
      code: 'admission.image_not_covered',
      message: 'The policy does not cover the image by the name that the pack gives it.',
      policy: name,
    }),
  );
  return { ...explained, admission: { ...admission, admitted: false, reasons: [...admission.reasons, ...reasons] } };
}
