import { expect } from 'vitest';
import { TokenRefused } from '../src/token/token-refused.ts';

/** The fault of a refusal, which must say something to a person too; any other error as text. */
export function faultOf(error: unknown): string {
  if (!(error instanceof TokenRefused)) return String(error);
  expect(error.message).toMatch(/^\S+( \S+){2,}$/);
  return error.fault;
}
