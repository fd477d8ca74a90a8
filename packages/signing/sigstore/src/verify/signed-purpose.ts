import { type CertificateIdentity, purposeFits, purposeOf, type Statement, signedKindOf } from '@colophon/records';
import type { SignedTextKind } from '../signed-text/signed-text.ts';
import { VerificationError } from './verification-error.ts';

/**
 * A reader of documents takes a person's signature over a file too; `gated-elsewhere`: the reader judges purposes by
 * itself, with the identity in the answer.
 */
export type PurposeReader = 'document' | 'gated-elsewhere';

/**
 * Holds when the certificate was issued for what it signed, as far as it says what for.
 * @param signed the statement, or the kind of the bytes of a message signature
 * @throws VerificationError `certificate.purpose_mismatch`
 */
export function assertPurpose(
  identity: CertificateIdentity,
  signed: Statement | SignedTextKind = 'file',
  reader?: PurposeReader,
): void {
  if (reader === 'gated-elsewhere') return;
  const purpose = purposeOf(identity);
  const kind = kindOf(signed, reader);
  if (purposeFits(purpose, kind)) return;
  throw new VerificationError(
    'certificate.purpose_mismatch',
    `a certificate for a ${purpose} signs no ${NAMES[kind]}`,
    {
      expected: 'a certificate that was issued for this',
      found: purpose as string,
    },
  );
}

const NAMES = {
  artifact: 'file or image',
  document: 'document',
  commit: 'commit',
  review: 'review',
  'git-statement': 'statement about git objects',
  statement: 'statement about artifacts',
} as const;

function kindOf(signed: Statement | SignedTextKind, reader: PurposeReader | undefined) {
  if (typeof signed !== 'string') return signedKindOf(signed);
  if (signed === 'commit') return 'commit';
  return signed === 'file' && reader === 'document' ? 'document' : 'artifact';
}
