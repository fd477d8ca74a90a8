import { standingNegativesSchema } from '@colophon/records';
import { type ResultOf, resultOf } from '@colophon/records/result';

/** `colophon review list`: the members of the list that the evidence store signed, as they stand in it. */
export const reviewListResult = resultOf('the rejections that stand', standingNegativesSchema.properties);
export type ReviewListResult = ResultOf<typeof reviewListResult>;
