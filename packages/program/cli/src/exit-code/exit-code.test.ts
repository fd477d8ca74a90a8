import { LogError, VerificationError } from '@colophon/sigstore';
import { expect, test } from 'vitest';
import { exitCodeOf } from '../report/report.ts';

test.each(VerificationError.codes)(
  '%s, as every way in which verifying fails, never ends the program with 0',
  (code) => {
    expect([10, 12, 13]).toContain(exitCodeOf(new VerificationError(code, '')));
  },
);

test('whether nothing was there, not the same or not to be believed is told apart', () => {
  expect(exitCodeOf(new VerificationError('bundle.empty', ''))).toBe(10);
  expect(exitCodeOf(new VerificationError('artifact.mismatch', ''))).toBe(12);
  expect(exitCodeOf(new VerificationError('certificate.expired', ''))).toBe(13);
  expect(exitCodeOf(new LogError('log.not_found', ''))).toBe(11);
  expect(exitCodeOf(new LogError('log.unavailable', ''))).toBe(3);
});
