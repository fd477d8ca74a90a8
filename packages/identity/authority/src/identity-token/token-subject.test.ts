import { expect, test } from 'vitest';
import { refusalCode } from '../../test/refusal.ts';
import { ISSUER } from '../../test/token-issuer.ts';
import { readTokenSubject } from './token-subject.ts';

const OTHER = 'https://ci.example';

function codeOf(claims: Parameters<typeof readTokenSubject>[0]): string | undefined {
  try {
    readTokenSubject({ iss: ISSUER, ...claims }, ISSUER);
  } catch (error) {
    return refusalCode(error);
  }
  return undefined;
}

test.each([
  'agent:a',
  `agent:${'a'.repeat(64)}`,
  'agent:Code.Writer_2-x',
  'reviewer:me@example.com',
  'reviewer:a.b+c@localhost',
  'reviews:localhost',
  'reviews:reviews.example.com:8443',
  'reviews:[::1]:7080',
  'evidence:localhost:7080',
  'https://github.com/o/r/.github/workflows/w.yml@refs/heads/main',
  'spiffe://td/workload',
  'repo:octo-org/octo-repo:ref:refs/heads/main',
])('%s is a subject', (sub) => {
  expect(readTokenSubject({ iss: ISSUER, sub }, ISSUER)).toBe(sub);
});

test.each([
  undefined,
  null,
  7,
  ['agent:a'],
  '',
  'agent',
  'agent:',
  'Agent:a b',
  'AGENT:a',
  'Agent:a/b',
  `agent:${'a'.repeat(65)}`,
  'agent:-a',
  'agent:unknown',
  'agent:.a',
  'agent:a/b',
  'agent:a@b',
  'agent:clé',
  'agent:a\n',
  'agent:a\0',
  ' agent:a',
  'xagent :a',
  'reviewer:me',
  'reviewer:@example.com',
  'reviewer:me@',
  'reviewer:me@example.com,you@example.com',
  'reviewer:a@b@c',
  'reviewer:a..b@x',
  'reviewer:a@x..y',
  'reviewer:a/b@x',
  'reviewer:a%40b@x',
  `reviewer:${'a'.repeat(65)}@x`,
  'REVIEWER:me@example.com!',
  'REVIEWER:me@example.com',
  'Agent:a',
  'reviews:',
  'reviews:a b',
  'reviews:alice@example.com',
  'Reviews:localhost',
  'evidence:localhost',
  'evidence:localhost:7081',
  'evidence:other.example',
  'EVIDENCE:localhost:7080',
  'x:é',
  '1x:y',
  'x y:z',
  `x:${'y'.repeat(1025)}`,
])('%j is not a subject', (sub) => {
  expect(codeOf({ sub } as never)).toMatch(/^authority\.token_subject_invalid$/);
});

test.each([
  'agent:a',
  'reviewer:me@example.com',
  'reviews:localhost',
  'evidence:localhost:7080',
  'Evidence:x',
  'AGENT:a',
])('another issuer names no %s', (sub) => {
  expect(codeOf({ iss: OTHER, sub })).toBe('authority.token_subject_reserved');
});

test('another issuer names its own', () => {
  expect(codeOf({ iss: OTHER, sub: 'spiffe://td/workload' })).toBeUndefined();
});

test('the agent’s name must be the one that the subject names', () => {
  expect(codeOf({ sub: 'agent:a', agent_name: 'a' })).toBeUndefined();
  expect(codeOf({ sub: 'agent:a' })).toBeUndefined();
  for (const agent_name of ['b', 'A', '', 'a ', null, ['a'], { a: 1 }]) {
    expect(codeOf({ sub: 'agent:a', agent_name })).toBe('authority.token_subject_mismatch');
  }
});

test('no other subject carries an agent’s name', () => {
  expect(codeOf({ sub: 'reviewer:me@example.com', agent_name: 'a' })).toBe('authority.token_subject_mismatch');
  expect(codeOf({ sub: 'https://ci.example/job', agent_name: 'a' })).toBe('authority.token_subject_mismatch');
});

test('the reviewer’s address must be the one that a reviewer’s subject names', () => {
  expect(codeOf({ sub: 'reviewer:me@example.com', human_reviewer: 'me@example.com' })).toBeUndefined();
  expect(codeOf({ sub: 'reviewer:me@example.com', human_reviewer: 'you@example.com' })).toBe(
    'authority.token_subject_mismatch',
  );
  expect(codeOf({ sub: 'reviewer:me@example.com', human_reviewer: null })).toBe('authority.token_subject_mismatch');
  expect(codeOf({ sub: 'agent:a', human_reviewer: 'you@example.com' })).toBeUndefined();
});

test('a refusal names the claim that names somebody else', () => {
  expect(() => readTokenSubject({ iss: ISSUER, sub: 'agent:a', agent_name: 'b' }, ISSUER)).toThrow('agent_name');
  const reviewer = { iss: ISSUER, sub: 'reviewer:me@example.com', human_reviewer: 'you@example.com' };
  expect(() => readTokenSubject(reviewer, ISSUER)).toThrow('human_reviewer');
});
