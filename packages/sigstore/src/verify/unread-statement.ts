import type { CertificateIdentity } from '@colophon/records';
import { VerificationError } from './verification-error.ts';

const signers = new WeakMap<object, CertificateIdentity>();

/** Reads what somebody signed, whose certificate, key and log entry hold; they are remembered where it cannot be read. */
export function readBy<T>(signer: CertificateIdentity, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof VerificationError && error.code === 'statement.malformed') signers.set(error, signer);
    throw error;
  }
}

/** Whose statement it is that could not be read; undefined for every other failure. */
export function signerOfUnread(error: unknown): CertificateIdentity | undefined {
  return typeof error === 'object' && error !== null ? signers.get(error) : undefined;
}
