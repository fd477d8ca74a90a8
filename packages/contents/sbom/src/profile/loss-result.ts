import { having, string } from '@colophon/records/result';

/** Something that the converted document no longer says, or no longer says in the same way. */
export const sbomLoss = having('something that the written document no longer says, or not in the same way', {
  path: string('JSON Pointer into the document that was given'),
  what: string('what is lost'),
  why: string('for what reason'),
});
