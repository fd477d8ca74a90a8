import { digest, type ResultOf, resultOf, string } from '@colophon/records/result';
import { sortedAttachments } from '@colophon/sigstore/result';

/** `colophon attachments`. */
export const attachmentsResult = resultOf(
  sortedAttachments.description,
  {
    image: string('as it was asked for'),
    digest,
    trusted_root: string('file of the trusted root'),
    ...sortedAttachments.properties,
  },
  { copied_to: string('the image that they were copied to') },
);
export type AttachmentsResult = ResultOf<typeof attachmentsResult>;
