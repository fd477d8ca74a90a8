import { SignatureError } from '../signature-error/signature-error.ts';

/**
 * Who attests something about a file, a rejection for example, has not signed the file.
 * @param statement what the bundle states; undefined where it is a signature
 * @throws SignatureError `signature.not_a_signature`
 */
export function assertSignature(statement: { readonly predicateType: string } | undefined): void {
  if (statement === undefined) return;
  throw new SignatureError('signature.not_a_signature', 'the bundle holds an attestation, and no signature', {
    expected: 'a signature over the file',
    found: statement.predicateType,
    next: 'colophon verify-blob-attestation',
  });
}
