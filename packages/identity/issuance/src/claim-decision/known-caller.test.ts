import { parseClaimSources, type TokenRequest } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallerRights } from '../caller/caller.ts';
import { compileRights } from '../caller-rights/caller-rights.ts';
import { compileRegistry } from '../registry/registry.ts';
import { decideClaims } from './claim-decision.ts';
import type { IssuanceContext } from './issuance-context.ts';

const hash = `sha256:${'a'.repeat(64)}`;
const SHA = 'b'.repeat(40);

const request: TokenRequest = {
  purpose: 'artifact',
  agent_name: 'code-writer',
  agent_version: '2.4.1',
  model_id: 'claude-sonnet-4-5',
  prompt_hash: hash,
  policy_pack_hash: hash,
  human_reviewer: 'alice@example.com',
};

const registry = compileRegistry({
  agents: [
    { name: 'code-writer', versions: ['2.*'] },
    { name: 'code-fixer', state: 'suspended' },
    { name: 'old-writer', state: 'retired' },
  ],
  models: [{ id: 'claude-*', provider: 'anthropic' }],
  policyPacks: [{ name: 'default', hash }],
});

const callerWith = (may: CallerRights) => ({ name: 'actions', rights: compileRights(may) });

const base: IssuanceContext = {
  issuer: 'https://agents.example.com',
  audiences: ['sigstore'],
  issuedAt: 1_795_000_000,
  lifetimeSeconds: 600,
  jti: 'jti-1',
  caller: callerWith({ agents: ['code-*', 'old-writer', 'new-writer'] }),
  registry,
  evidence: [{ source: 'caller-token', claims: { repo: 'acme/shop', commit_sha: SHA } }],
  trigger: 'push',
};

const decide = (changes: Partial<TokenRequest> = {}, context: Partial<IssuanceContext> = {}) =>
  decideClaims({ ...request, ...changes } as TokenRequest, { ...base, ...context });
const codeOf = (...args: Parameters<typeof decide>) => {
  const decision = decide(...args);
  if (decision.ok) return 'ok';
  expect(decision.message, decision.code).toMatch(/\w/);
  return `${decision.code} ${decision.field}`;
};

describe('a token for a known caller', () => {
  it('says what the caller’s credential confirms, and what the lists say, beside the request’s own word', () => {
    const decision = decide();
    if (!decision.ok) throw new Error(decision.code);
    const { claims } = decision;
    expect(claims).toMatchObject({ repo: 'acme/shop', commit_sha: SHA, trigger: 'push', model_provider: 'anthropic' });
    expect(parseClaimSources(claims.claim_sources)).toEqual({
      agent_name: 'registry',
      agent_version: 'declared',
      model_id: 'declared',
      // Who serves a model is known by its identifier only, which nobody confirmed.
      model_provider: 'declared',
      policy_pack_hash: 'declared',
      prompt_hash: 'declared',
      human_reviewer: 'declared',
      repo: 'caller-token',
      commit_sha: 'caller-token',
      trigger: 'caller-token',
    });
  });

  it.each([
    ['another repository', { repo: 'acme/other' }, 'issuance.claim_contradicted repo'],
    ['another commit', { commit_sha: 'c'.repeat(40) }, 'issuance.claim_contradicted commit_sha'],
    ['another provider', { model_provider: 'other' }, 'issuance.claim_contradicted model_provider'],
    [
      'the address of another repository',
      { repo_uri: 'https://forge.example/acme/other' },
      'issuance.claim_contradicted repo_uri',
    ],
    ['the same in other words', { repo: 'acme/shop.git', commit_sha: SHA.toUpperCase() }, 'ok'],
  ])('is refused where the request says %s', (_what, changes, outcome) => {
    expect(codeOf(changes as Partial<TokenRequest>)).toBe(outcome);
  });

  it.each([
    ['that the lists do not have', { agent_name: 'new-writer' }, 'issuance.agent_unregistered agent_name'],
    ['that is suspended', { agent_name: 'code-fixer' }, 'issuance.agent_inactive agent_name'],
    ['that is retired', { agent_name: 'old-writer' }, 'issuance.agent_inactive agent_name'],
    [
      'in a version that it does not have',
      { agent_version: '3.0' },
      'issuance.agent_version_unregistered agent_version',
    ],
  ])('is refused for an agent %s', (_what, changes, outcome) => {
    expect(codeOf(changes)).toBe(outcome);
  });

  it('is refused for want of a right before anything else is told', () => {
    const caller = callerWith({ agents: ['other'] });
    for (const agent_name of ['code-writer', 'code-fixer', 'old-writer', 'nobody']) {
      expect(codeOf({ agent_name, repo: 'acme/other' } as Partial<TokenRequest>, { caller })).toBe(
        'caller.agent_not_allowed agent_name',
      );
    }
  });

  it('needs the right to a repository that only its credential names', () => {
    const caller = callerWith({ agents: ['code-writer'], repositories: ['acme/other'] });
    expect(codeOf({}, { caller })).toBe('caller.repository_not_allowed repo');
  });

  it('needs the right to the policy pack with its hash, which the lists name', () => {
    const caller = callerWith({ agents: ['code-writer'], policyPacks: ['default'] });
    const refused = 'caller.policy_pack_not_allowed policy_pack_hash';
    expect(codeOf({}, { caller })).toBe('ok');
    expect(codeOf({ policy_pack_hash: `sha256:${'c'.repeat(64)}` }, { caller })).toBe(refused);
    expect(codeOf({}, { caller, registry: compileRegistry({}) })).toBe(refused);
  });

  it('names the rule of its own entry, and no value', () => {
    const decision = decide({}, { caller: callerWith({ agents: ['secret-agent'] }) });
    expect(decision).toMatchObject({ message: 'No rule in callers[actions].may.agents stands for this agent_name.' });
  });
});

describe('claims that the configuration demands', () => {
  it.each([
    ['from whom it has them', { repo: ['caller-token'] }, 'ok'],
    ['from somebody else', { prompt_hash: ['witness-isolated'] }, 'issuance.source_not_accepted prompt_hash'],
    ['that nobody supplies', { repo_uri: ['caller-token', 'declared'] }, 'issuance.claim_missing repo_uri'],
  ] as const)('%s decide', (_what, requiredSources, outcome) => {
    expect(codeOf({}, { requiredSources })).toBe(outcome);
  });

  it('are refused in words that say which sources count and which one it has', () => {
    const refusal = decide({}, { requiredSources: { prompt_hash: ['witness-isolated', 'caller-token'] } });
    expect(refusal).toMatchObject({ message: expect.stringMatching(/witness-isolated or caller-token\b.*declared/) });
  });

  it('are demanded where the purpose has them', () => {
    const commit = { purpose: 'commit', tree_sha: 'd'.repeat(40) } as Partial<TokenRequest>;
    const requiredSources = { commit_sha: ['caller-token'] } as const;
    expect(codeOf(commit, { requiredSources, requiredClaims: ['commit_sha'] })).toBe('ok');
    expect(codeOf(commit, { requiredSources: { tree_sha: ['caller-token'] } })).toBe(
      'issuance.source_not_accepted tree_sha',
    );
  });
});

describe('a reviewer’s token for a known caller', () => {
  const review = { purpose: 'review', human_reviewer: 'alice@example.com' } as TokenRequest;
  const caller = callerWith({ agents: [], purposes: ['review'] });
  const ask = (context: Partial<IssuanceContext>) => {
    const decision = decideClaims(review, { ...base, evidence: [], trigger: '', caller, ...context });
    if (decision.ok) return decision.claims.claim_sources;
    expect(decision.message, decision.code).toMatch(/\w/);
    return `${decision.code} ${decision.field}`;
  };

  it('is for the person that the credential names, and for nobody else', () => {
    const signedIn = (human_reviewer: string) => ({
      evidence: [{ source: 'caller-token', claims: { human_reviewer } }] as const,
    });
    expect(ask(signedIn('alice@example.com'))).toBe('purpose=review;human_reviewer=caller-token');
    expect(ask(signedIn('bob@example.com'))).toBe('issuance.claim_contradicted human_reviewer');
    expect(ask({})).toBe('caller.reviewer_unconfirmed human_reviewer');
  });

  it('need not say what the configuration demands of an agent’s', () => {
    const evidence = [{ source: 'caller-token', claims: { human_reviewer: 'alice@example.com' } }] as const;
    const demands = { requiredClaims: ['repo'], requiredSources: { commit_sha: ['caller-token'] } } as const;
    expect(ask({ evidence, ...demands })).toBe('purpose=review;human_reviewer=caller-token');
  });

  it('is a right of its own', () => {
    expect(ask({ caller: callerWith({ agents: ['**'] }) })).toBe('caller.purpose_not_allowed purpose');
  });
});

describe('whatever is asked', () => {
  const name = fc.constantFrom('code-writer', 'code-fixer', 'old-writer', 'new-writer', 'other');
  const repo = fc.constantFrom('acme/shop', 'acme/other', 'evil/shop', undefined);

  it('a caller gets a token only for agents and repositories that its rights stand for', () => {
    const may = fc.record({
      agents: fc.array(name),
      repositories: fc.option(fc.array(repo.filter(Boolean)), { nil: undefined }),
    });
    fc.assert(
      fc.property(may, name, repo, (rights, agent_name, asked) => {
        const caller = callerWith(rights as CallerRights);
        const decision = decide({ agent_name, ...(asked && { repo: asked }) } as Partial<TokenRequest>, { caller });
        if (!decision.ok) return;
        expect(rights.agents).toContain(decision.claims.agent_name);
        if (rights.repositories !== undefined) expect(rights.repositories).toContain(decision.claims.repo);
        // What the credential confirms is never something else in the token.
        expect(decision.claims.repo).toBe('acme/shop');
      }),
    );
  });
});
