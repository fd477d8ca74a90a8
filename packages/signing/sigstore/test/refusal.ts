import { expect } from 'vitest';
import { VerificationError } from '../src/verify/verification-error.ts';

/** The refusal that `act` ends in, which says why. */
export function refusal(act: () => unknown): VerificationError {
  try {
    act();
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    expect(error.message.length).toBeGreaterThan(10);
    return error;
  }
  throw new Error('it was accepted');
}
