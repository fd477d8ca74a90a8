import { X509Certificate } from 'node:crypto';
import {
  type AdmissionProfile,
  coveringPolicies,
  type NegativesView,
  type Policy,
  refuseUncovered,
} from '@colophon/admission';
import { withoutSigner } from '@colophon/records';
import { digestOf, parseBundle } from '@colophon/sigstore';
import type { AssessedImage } from '../image-gate/image-material.ts';
import { judgeAndHear } from '../image-gate/judge-image.ts';
import { explainEvidence } from './explain-evidence.ts';
import type { FoundSignature } from './explained-documents.ts';
import type { AskedPlace, EvidenceExplanation, EvidencePlace } from './explanation-result.ts';

export type ExplainImageOptions = {
  /** None: nothing is decided. */
  readonly policies: readonly Policy[];
  readonly profile?: AdmissionProfile | undefined;
  /** The list of rejections that counts for a policy; without a policy the one that is looked at. */
  negatives(policy: Policy | undefined): Promise<NegativesView>;
  /** Where the material is from. */
  readonly place: EvidencePlace;
  readonly places: readonly AskedPlace[];
  /** When it is decided; without it nothing that depends on the time lets an image pass. */
  readonly now?: Date | undefined;
};

/** Explains an image by what was gathered and verified of it, and decides by the given policies. */
export async function explainImage(
  assessed: AssessedImage,
  options: ExplainImageOptions,
): Promise<EvidenceExplanation> {
  const { reference, image, attached } = assessed.material;
  const { policies, profile, place, places, now } = options;
  const covering = coveringPolicies(reference, policies);
  const views = new Map<Policy | undefined, NegativesView>();
  for (const policy of covering.length === 0 ? [undefined] : covering)
    views.set(policy, await options.negatives(policy));
  const serials = new Map('overcrowded' in attached ? [] : attached.found.map(({ bundle }) => serialOf(bundle)));
  const { verification } = assessed;
  const found = 'overcrowded' in verification ? undefined : verification;
  const judged = () => {
    if (covering.length === 0) return { verdict: { ...refuseUncovered(reference), digest: image.digest } };
    return judgeAndHear(assessed, { policies: covering, profile, negatives: (policy) => views.get(policy)!, now });
  };
  return explainEvidence({
    subject: {
      kind: 'image',
      name: reference,
      digest: image.digest,
      digests: new Set([image.digest, ...assessed.manifests]),
    },
    signatures: (found?.verified ?? []).map(
      ({ checks: _, ...signature }): FoundSignature => ({
        ...signature,
        found_in: [place],
        certificate_serial: serials.get(signature.bundle_digest ?? ''),
      }),
    ),
    unverified: (found?.rejected ?? []).map(withoutSigner),
    unread: found?.incomplete ?? overcrowded(verification),
    lists: distinctViews([...views.values()]),
    places,
    peopleIssuers: policies.flatMap(({ review }) => review.identity.issuers),
    ...(policies.length === 0 ? {} : judged()),
  });
}

/** A bundle's digest, and the serial number of its certificate. */
export function serialOf(bundle: Uint8Array): readonly [digest: string, serial: string | undefined] {
  try {
    const { signer } = parseBundle(bundle);
    const serial = 'certificate' in signer ? new X509Certificate(signer.certificate).serialNumber : undefined;
    return [digestOf(bundle), serial?.toLowerCase()];
  } catch {
    // What cannot be read does not verify, and nobody asks for its serial number.
    return [digestOf(bundle), undefined];
  }
}

function overcrowded(verification: object) {
  const message = (verification as { readonly overcrowded?: string }).overcrowded ?? '';
  return [{ code: 'image.too_many_signatures', message }];
}

function distinctViews(views: readonly NegativesView[]): NegativesView[] {
  // One list that two policies want of different ages is one list.
  const said = (view: NegativesView) => JSON.stringify({ ...view, maxAgeSeconds: undefined });
  return [...new Map(views.map((view) => [said(view), view])).values()];
}
