import { imageAdmission } from '@colophon/gate/result';
import { type ResultOf, resultOf, string } from '@colophon/records/result';

const { admitted, digest, valid_until, ...found } = imageAdmission.properties;

/** `colophon admit`: a refusal has its own exit code and is printed in full. */
export const admitResult = resultOf(
  imageAdmission.description,
  { admitted, image: string('as it was asked for'), trusted_root: string('file of the trusted root'), ...found },
  { digest, valid_until },
);
export type AdmitResult = ResultOf<typeof admitResult>;
