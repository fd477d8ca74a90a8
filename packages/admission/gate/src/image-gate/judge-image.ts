import {
  type AdmissionDecision,
  type AdmissionProfile,
  decideAndHear,
  type HeardNegative,
  type NegativesView,
  type Policy,
} from '@colophon/admission';
import type { AssessedImage } from './image-material.ts';

/** A decision, and the digest that it holds for; without one no registry was asked. */
export type ImageVerdict = AdmissionDecision & { readonly digest?: string };

export type JudgeImageOptions = {
  readonly policies: readonly Policy[];
  /** Takes the place of every policy's own profile. */
  readonly profile?: AdmissionProfile | undefined;
  /** What is known of rejections beside what is attached, for each policy. */
  readonly negatives: (policy: Policy) => NegativesView;
  /** When it is decided; without it nothing that depends on the time lets an image pass. */
  readonly now?: Date | undefined;
};

/** Decides about an image by what was gathered and verified of it. Asks nobody and reads no clock. */
export function judgeImage(assessed: AssessedImage, options: JudgeImageOptions): ImageVerdict {
  return judgeAndHear(assessed, options).verdict;
}

/** The same, and what the policies make of every negative word about the image that they hear. */
export function judgeAndHear(
  { material: { reference, image }, verification, manifests, ofManifests }: AssessedImage,
  { policies, profile, negatives, now }: JudgeImageOptions,
): { readonly verdict: ImageVerdict; readonly heard: readonly HeardNegative[] } {
  const { decision, heard } = decideAndHear({
    image: { reference, digest: image.digest, manifests },
    ...('overcrowded' in verification
      ? { signatures: [], rejected: [], overcrowded: verification.overcrowded }
      : { signatures: verification.verified, rejected: verification.rejected, incomplete: verification.incomplete }),
    ofManifests: { signatures: ofManifests.verified, incomplete: ofManifests.incomplete },
    policies,
    ...(profile === undefined ? {} : { profile }),
    negatives,
    ...(now === undefined ? {} : { nowSeconds: now.getTime() / 1000 }),
  });
  return { verdict: { ...decision, digest: image.digest }, heard };
}
