import { keyIdentity, type Statement } from '@colophon/records';
import { expect, test } from 'vitest';
import { readBy, uncountedWord, untimed } from './unread-statement.ts';
import { VerificationError } from './verification-error.ts';

const signer = keyIdentity(`sha256:${'e'.repeat(64)}`);
const statement: Statement = {
  _type: 'https://in-toto.io/Statement/v1',
  subject: [],
  predicateType: 'x',
  predicate: {},
};

function failureOf(error: unknown): unknown {
  try {
    return readBy(signer, () => {
      throw error;
    });
  } catch (failure) {
    return failure;
  }
}

test('whoever signed what cannot be read is remembered, and for no other failure', () => {
  const error = new VerificationError('statement.malformed', 'x');
  expect(failureOf(error)).toBe(error);
  expect(uncountedWord(error)).toEqual({ signer });
  for (const other of [new VerificationError('statement.payload_type', 'x'), new Error('x')]) {
    expect(uncountedWord(failureOf(other))).toBeUndefined();
  }
  expect(uncountedWord(undefined)).toBeUndefined();
  expect(readBy(signer, () => 1)).toBe(1);
});

test('what has no time is remembered with what it says, where that can be read, and a signature says nothing', () => {
  expect(untimed(signer, statement).code).toBe('timestamp.missing');
  expect(uncountedWord(untimed(signer, statement))).toEqual({ signer, statement });
  for (const predicate of ['FAILED', undefined, []]) {
    expect(uncountedWord(untimed(signer, { ...statement, predicate }))).toEqual({ signer });
  }
  expect(uncountedWord(untimed(signer, undefined))).toBeUndefined();
});
