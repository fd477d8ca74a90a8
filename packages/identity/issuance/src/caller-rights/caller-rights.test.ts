import { describe, expect, it } from 'vitest';
import type { CallerRights } from '../caller/caller.ts';
import { type ClaimedToken, compileRights, missingRight } from './caller-rights.ts';

const ALL: CallerRights = {
  agents: ['code-writer'],
  models: ['claude-*'],
  policyPacks: ['default'],
  repositories: ['acme/*', 'https://github.com/acme/*'],
  audiences: ['sigstore'],
  purposes: ['artifact'],
};

const TOKEN: ClaimedToken = {
  purpose: 'artifact',
  audience: 'sigstore',
  policyPack: 'default',
  servedModels: [],
  claims: {
    agent_name: 'code-writer',
    model_id: 'claude-sonnet-4-5',
    repo: 'acme/shop',
    repo_uri: 'https://github.com/acme/shop',
  },
  sources: { repo: 'declared', repo_uri: 'declared' },
};

const missing = (may: CallerRights, token: Partial<ClaimedToken> = {}) =>
  missingRight(compileRights(may), { ...TOKEN, ...token });

describe('the rights of a caller', () => {
  it('are enough where every rule stands for what the token says', () => {
    expect(missing(ALL)).toBeUndefined();
  });

  it.each([
    ['agents', { agents: ['other'] }, 'caller.agent_not_allowed', 'agent_name'],
    ['models', { models: ['gpt-*'] }, 'caller.model_not_allowed', 'model_id'],
    ['policyPacks', { policyPacks: ['strict'] }, 'caller.policy_pack_not_allowed', 'policy_pack_hash'],
    ['repositories', { repositories: ['evil/*'] }, 'caller.repository_not_allowed', 'repo'],
    ['audiences', { audiences: ['other'] }, 'caller.audience_not_allowed', 'audience'],
    ['purposes', { purposes: ['commit'] }, 'caller.purpose_not_allowed', 'purpose'],
  ] as const)('without a right rule of %s name that rule', (rule, may, code, field) => {
    expect(missing({ ...ALL, ...may } as CallerRights)).toEqual({ code, field, rule });
  });

  it('what an entry leaves out is not limited, but for agents and a reviewer’s purpose', () => {
    expect(missing({ agents: ['code-writer'] })).toBeUndefined();
    expect(missing({ agents: [] })?.code).toBe('caller.agent_not_allowed');
    expect(missing({ agents: ['*'] }, { purpose: 'review' })?.code).toBe('caller.purpose_not_allowed');
  });

  it('a token that names no agent is not one of every agent’s', () => {
    expect(missing({ agents: ['**'] }, { claims: { model_id: 'claude-x' } })?.code).toBe('caller.agent_not_allowed');
  });

  it('a policy pack that the configuration does not know is none of the named ones', () => {
    expect(missing(ALL, { policyPack: undefined })?.code).toBe('caller.policy_pack_not_allowed');
    expect(missing({ agents: ['*'] }, { policyPack: undefined })).toBeUndefined();
    // A star stands for every name there is, and this one has none.
    for (const every of ['*', '**']) {
      const may = { agents: ['*'], policyPacks: [every] };
      expect(missing(may)).toBeUndefined();
      expect(missing(may, { policyPack: undefined })?.code).toBe('caller.policy_pack_not_allowed');
    }
  });

  it('an allowed name does not make an address on another host allowed', () => {
    const claims = { ...TOKEN.claims, repo_uri: 'https://evil.example/acme/shop' };
    expect(missing(ALL, { claims })?.field).toBe('repo_uri');
    expect(missing({ ...ALL, repositories: ['acme/*'] })?.field).toBe('repo_uri');
  });

  it('the caller’s own token makes its address allowed with its name', () => {
    const may = { ...ALL, repositories: ['acme/*'] };
    const confirmed = { repo: 'caller-token', repo_uri: 'caller-token' } as const;
    expect(missing(may, { sources: confirmed })).toBeUndefined();
    expect(missing(may, { sources: { ...confirmed, repo: 'declared' } })?.field).toBe('repo_uri');
    expect(missing(may, { sources: { ...confirmed, repo_uri: 'declared' } })?.field).toBe('repo_uri');
    const addressOnly = { ...TOKEN.claims, repo: undefined as never };
    expect(missing(may, { claims: addressOnly, sources: confirmed })?.field).toBe('repo_uri');
  });

  it('a token that names no repository needs no right to one', () => {
    expect(missing(ALL, { claims: { agent_name: 'code-writer', model_id: 'claude-x' } })).toBeUndefined();
  });

  it('a reviewer’s token needs no agent, no model and no policy pack', () => {
    const may = { ...ALL, purposes: ['review'], agents: [] } as CallerRights;
    const claims = { human_reviewer: 'alice@example.com' };
    expect(missing(may, { purpose: 'review', policyPack: undefined, claims })).toBeUndefined();
  });
});
