import {
  type AdmissionDecision,
  type AdmissionProfile,
  decideAdmission,
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
export function judgeImage(
  { material: { reference, image }, verification, manifests, ofManifests }: AssessedImage,
  { policies, profile, negatives, now }: JudgeImageOptions,
): ImageVerdict {
  const decision = decideAdmission({
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
  return { ...decision, digest: image.digest };
}
