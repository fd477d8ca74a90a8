import { count, digest, type ResultOf, resultOf, string } from '@colophon/records/result';
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
  {
    added_count: { ...count, description: 'statements that were attached, of --add' },
    copied_to: string('the image that they were copied to'),
  },
);
export type AttachmentsResult = ResultOf<typeof attachmentsResult>;
