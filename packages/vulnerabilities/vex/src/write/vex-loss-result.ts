import { count, having, string } from '@colophon/records/result';

/** Something that the written document does not say, or not in the same way. */
export const vexLoss = having('what the written document does not say, or not in the same way', {
  path: string('JSON Pointer to the first place, as OpenVEX has it: /statements/3/supplier'),
  what: string('what is lost'),
  why: string('for what reason'),
  place_count: { ...count, description: 'places of which the same is to be said' },
});
