import { SigningError } from '../src/sign/signing-error.ts';

/** The error that signing ends in. */
export async function signingFailure(act: Promise<unknown>): Promise<SigningError> {
  try {
    await act;
  } catch (error) {
    if (error instanceof SigningError) return error;
    throw error;
  }
  throw new Error('it was signed');
}
