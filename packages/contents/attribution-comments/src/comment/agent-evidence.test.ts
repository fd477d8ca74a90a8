import { expect, test } from 'vitest';
import { completedBy, evidenceOf, UNNAMED_AGENT } from './agent-evidence.ts';

test('a name that a person wrote is made one that may stand in a comment', () => {
  expect(evidenceOf('trailer', { agent: 'Claude Code' }).agent).toBe('claude-code');
});

test('a name in a certificate is taken as it is, or not at all: another spelling is another agent', () => {
  expect(evidenceOf('signature', { agent: 'code-writer' }).agent).toBe('code-writer');
  const other = evidenceOf('signature', { agent: 'code--writer', model: 'm-1' });
  expect(other.agent).toBe(UNNAMED_AGENT);
  const trailer = evidenceOf('trailer', { agent: 'code-writer', version: '2' });
  expect(completedBy(other, trailer)).toEqual(other);
  expect(completedBy(evidenceOf('trailer', { agent: '' }), trailer).agent).toBe('code-writer');
});
