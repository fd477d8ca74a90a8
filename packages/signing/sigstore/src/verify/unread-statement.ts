import { isJsonObject } from '@colophon/json';
import type { CertificateIdentity, Statement } from '@colophon/records';
import { VerificationError } from './verification-error.ts';

/** What is known of a word that does not count; without `statement` nobody can read what it says. */
export type UncountedWord = { readonly signer: CertificateIdentity; readonly statement?: Statement };

const words = new WeakMap<object, UncountedWord>();

/** Reads what somebody signed, whose signature and log entry hold; they are remembered where it cannot be read. */
export function readBy<T>(signer: CertificateIdentity, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof VerificationError && error.code === 'statement.malformed') words.set(error, { signer });
    throw error;
  }
}

/** The failure of a statement that somebody signed, and of which nobody says when. */
export function untimed(signer: CertificateIdentity, statement: Statement | undefined): VerificationError {
  const message = 'neither a log nor a timestamp authority says when the key signed';
  const error = new VerificationError('timestamp.missing', message);
  // Without a statement it is a signature, which says no to nothing.
  if (statement !== undefined) words.set(error, isJsonObject(statement.predicate) ? { signer, statement } : { signer });
  return error;
}

/** Whose word failed where its signature holds; undefined for every other failure. */
export function uncountedWord(error: unknown): UncountedWord | undefined {
  return typeof error === 'object' && error !== null ? words.get(error) : undefined;
}
