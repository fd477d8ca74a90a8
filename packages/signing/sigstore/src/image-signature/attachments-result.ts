import { ATTACHMENT_FORMATS, REVIEW_DECISIONS } from '@colophon/records';
import {
  alsoHaving,
  certificateIdentity,
  count,
  digest,
  having,
  listOf,
  logEntry,
  oneOf,
  type ResultOf,
  string,
} from '@colophon/records/result';

/** One signature or attestation that verifies. */
const attached = alsoHaving(
  having('one that verifies', {
    digest: { ...digest, description: 'of the attachment' },
    certificate_identity: certificateIdentity,
    log_entry: logEntry,
    format: oneOf('how it is attached', ATTACHMENT_FORMATS),
  }),
  {
    predicate_type: string('of an attestation'),
    decision: oneOf('what a review decides', REVIEW_DECISIONS),
  },
);
export type AttachedSignature = ResultOf<typeof attached>;

/** What of all that is attached to an image verifies. */
export const sortedAttachments = having('what of all that is attached to an image verifies', {
  attachment_count: { ...count, description: 'attachments that the registry lists' },
  accepted_signatures: listOf(
    'by the identities that were asked for; copied, where there was a place for it',
    attached,
  ),
  other_signatures: listOf('by others', attached),
  unverified_count: { ...count, description: 'attachments in which nothing verifies' },
  unread_count: { ...count, description: 'what may be a signature and is larger than is read, or not served' },
});
