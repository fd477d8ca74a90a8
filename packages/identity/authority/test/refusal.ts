import { expect } from 'vitest';
import { AuthorityError } from '../src/authority-error/authority-error.ts';

/** The code of a refusal, which must say something to a person too; any other error as text. */
export function refusalCode(error: unknown): string {
  if (!(error instanceof AuthorityError)) return String(error);
  expect(error.message).toMatch(/^\S+( \S+){2,}$/);
  return error.code;
}
