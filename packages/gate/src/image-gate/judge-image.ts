import {
  type AdmissionDecision,
  type AdmissionInput,
  type AdmissionProfile,
  decideAdmission,
  type HeardNegative,
  heardNegatives,
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
  return { ...decideAdmission(inputOf(assessed, options)), digest: assessed.material.image.digest };
}

/** What the policies make of every negative word about an image, as they judge it. */
export function heardOfImage(assessed: AssessedImage, options: JudgeImageOptions): readonly HeardNegative[] {
  return heardNegatives(inputOf(assessed, options));
}

function inputOf(
  { material: { reference, image }, verification, manifests, ofManifests }: AssessedImage,
  { policies, profile, negatives, now }: JudgeImageOptions,
): AdmissionInput {
  return {
    image: { reference, digest: image.digest, manifests },
    ...('overcrowded' in verification
      ? { signatures: [], rejected: [], overcrowded: verification.overcrowded }
      : { signatures: verification.verified, rejected: verification.rejected, incomplete: verification.incomplete }),
    ofManifests: { signatures: ofManifests.verified, incomplete: ofManifests.incomplete },
    policies,
    ...(profile === undefined ? {} : { profile }),
    negatives,
    ...(now === undefined ? {} : { nowSeconds: now.getTime() / 1000 }),
  };
}
