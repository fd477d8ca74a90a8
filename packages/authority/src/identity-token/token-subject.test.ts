import { expect, test } from 'vitest';
import { refusalCode } from '../../test/refusal.ts';
import { readTokenSubject } from './token-subject.ts';

function codeOf(claims: Parameters<typeof readTokenSubject>[0]): string | undefined {
  try {
    readTokenSubject(claims);
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
  'https://github.com/o/r/.github/workflows/w.yml@refs/heads/main',
  'spiffe://td/workload',
  'repo:octo-org/octo-repo:ref:refs/heads/main',
])('%s is a subject', (sub) => {
  expect(readTokenSubject({ sub })).toBe(sub);
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
  'REVIEWER:me@example.com!',
  'x:é',
  '1x:y',
  'x y:z',
  `x:${'y'.repeat(1025)}`,
])('%j is not a subject', (sub) => {
  expect(codeOf({ sub } as never)).toMatch(/^authority\.token_subject_invalid$/);
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
  expect(() => readTokenSubject({ sub: 'agent:a', agent_name: 'b' })).toThrow('agent_name');
  const reviewer = { sub: 'reviewer:me@example.com', human_reviewer: 'you@example.com' };
  expect(() => readTokenSubject(reviewer)).toThrow('human_reviewer');
});
