import { negativesPageSchema, standingNegativesSchema } from '@colophon/records';
import { certificateIdentity, type ResultOf, resultOf } from '@colophon/records/result';

const { sequence, time } = standingNegativesSchema.properties;

/** `colophon review list`: the members of the list that the evidence store signed, as they stand in it and in its pages. */
export const reviewListResult = resultOf('the rejections that stand', {
  sequence,
  time,
  signed_by: certificateIdentity,
  ...negativesPageSchema.properties,
});
export type ReviewListResult = ResultOf<typeof reviewListResult>;
