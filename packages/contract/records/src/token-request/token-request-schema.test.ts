import { Check } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { parseTokenRequest } from './token-request.ts';
import { tokenRequestSchema } from './token-request-schema.ts';

const hex = 'a'.repeat(64);
const six = {
  agent_name: 'a',
  agent_version: '1',
  model_id: 'm',
  prompt_hash: hex,
  policy_pack_hash: hex,
  human_reviewer: 'a@b',
};

const { human_reviewer: _, ...five } = six;
const commit = { ...five, purpose: 'commit', tree_sha: 'b'.repeat(40) };

describe('tokenRequestSchema', () => {
  it.each<[string, unknown]>([
    ['the six fields', six],
    ['the purpose said', { ...six, purpose: 'artifact' }],
    [
      'the other optional fields',
      { ...six, model_provider: 'v', repo: 'o/r', repo_uri: 'https://f/o/r', audience: 'x' },
    ],
    ['a time and a commit', { ...six, review_timestamp: '2026-01-01T00:00:00Z', commit_sha: 'a'.repeat(40) }],
    ['a reviewer', { purpose: 'review', human_reviewer: 'a@b' }],
    ['a reviewer without a purpose', { human_reviewer: 'a@b' }],
    ['a field missing', { ...six, agent_name: undefined }],
    ['a commit', commit],
    ['a commit with all that it may have', { ...commit, ...six, purpose: 'commit', parent_sha: 'a'.repeat(40) }],
    ['a commit without its tree', { ...commit, tree_sha: undefined }],
    ['a commit without its purpose', { ...commit, purpose: undefined }],
    ['a commit that has an id', { ...commit, commit_sha: 'a'.repeat(40) }],
    ['a key', { ...six, dpop_jkt: 'A'.repeat(43) }],
    ['a key with bits that nobody uses', { ...six, dpop_jkt: 'A'.repeat(42).concat('B') }],
    ['a key with a character more', { ...six, dpop_jkt: 'A'.repeat(44) }],
    ['another purpose', { ...six, purpose: 'deploy' }],
    ['a field too many', { ...six, sub: 'agent:a' }],
    ['null', { ...six, repo: null }],
    ['a number', { ...six, agent_version: 1 }],
    ['a bad name', { ...six, agent_name: 'a b' }],
    ['a bad hash', { ...six, prompt_hash: hex.slice(1) }],
    ['a bad address', { ...six, human_reviewer: 'a' }],
    ['a provider with a slash', { ...six, model_provider: 'a/b' }],
    ['a long repository', { ...six, repo: `${'o'.repeat(128)}/${'r'.repeat(128)}` }],
    ['a repository with three segments', { ...six, repo: 'a/b/c' }],
    ['an address with a user', { ...six, repo_uri: 'https://a@b/c' }],
    ['an array', [six]],
  ])('agrees with the parser on %s', (_title, body) => {
    const sent = JSON.parse(JSON.stringify(body));
    const parsed = parseTokenRequest(new TextEncoder().encode(JSON.stringify(body)));
    expect(Check(tokenRequestSchema, sent)).toBe(parsed.ok);
  });
});
