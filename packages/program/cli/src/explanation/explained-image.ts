import { coveringPolicies, type Policy } from '@colophon/admission';
import {
  type AskedPlace,
  asksForManifests,
  assessMaterial,
  type EvidenceExplanation,
  explainImage,
  fileSequencePins,
  gatherImage,
  keysOf,
  NegativesViews,
  sourceOf,
} from '@colophon/gate';
import type { ReviewProfile } from '@colophon/records';
import { dockerCredentials, imageToFetch, RegistryClient } from '@colophon/sigstore';
import type { Command } from 'commander';
import { seenSequencesFolder } from '../home/home.ts';
import { negativesOfStore } from '../home/negatives-of-store.ts';
import { sayResolved } from '../image/image.ts';
import type { Session } from '../program/program.ts';
import type { Trust } from '../trust/trust.ts';

/** An image as it was gathered, when, and explained. */
export type ExplainedImage = {
  readonly material: Awaited<ReturnType<typeof gatherImage>>;
  readonly gatheredAt: Date;
  readonly explanation: EvidenceExplanation;
};

/** Gathers an image from its registry, with the lists of rejections that the policies name, and explains it. */
export async function explainedImage(
  reference: string,
  by: { readonly policies: readonly Policy[]; readonly profile?: ReviewProfile | undefined; readonly trust: Trust },
  command: Command,
  session: Session,
): Promise<ExplainedImage> {
  const { policies, profile } = by;
  const { trust, files } = by.trust;
  const own = negativesOfStore(files, command, session);
  const chosen = policies.length === 0 ? [] : policies.map((policy) => sourceOf(policy, own));
  const sources = [...chosen, own].flatMap((source) => source ?? []);
  const registry = new RegistryClient({ credentials: dockerCredentials(session.env) });
  const keys = keysOf(policies);
  const material = await gatherImage({
    reference,
    registry,
    sources,
    byKey: keys.length > 0,
    withManifests: asksForManifests(coveringPolicies(reference, policies)),
    onResolved: (image) => sayResolved(reference, image, session),
  });
  const gatheredAt = new Date();
  const pins = fileSequencePins(seenSequencesFolder(session.env));
  const views = new NegativesViews(material.lists, { trust, pins, now: gatheredAt });
  const places: AskedPlace[] = [
    { place: 'registry', state: 'asked', address: imageToFetch(reference).registry },
    ...(['evidence-store', 'log'] as const).map((place) => ({
      place,
      state: 'not-asked' as const,
      detail: 'an image is explained by what is attached to it',
    })),
    ...(own === undefined && chosen.every((one) => one === undefined)
      ? [{ place: 'rejection-list' as const, state: 'not-asked' as const, detail: 'no list is known' }]
      : []),
  ];
  const explanation = await explainImage(await assessMaterial(material, trust, { keys }), {
    policies,
    profile,
    place: 'registry',
    places,
    negatives: (policy) => views.of(policy === undefined ? own : sourceOf(policy, own)),
    now: gatheredAt,
  });
  return { material, gatheredAt, explanation };
}
