import {
  type ArtifactTokenRequest,
  type ClaimSource,
  type CommitTokenRequest,
  parseClaimSources,
  type SourcedClaim,
  type TokenRequest,
} from '@colophon/records';
import { describe, expect, it } from 'vitest';
import type { CallerRights } from '../caller/caller.ts';
import { compileRights } from '../caller-rights/caller-rights.ts';
import { compileRegistry } from '../registry/registry.ts';
import { decideClaims } from './claim-decision.ts';
import type { ClaimEvidence, IssuanceContext } from './issuance-context.ts';

const PROMPT = 'a'.repeat(64);
const request: ArtifactTokenRequest = {
  purpose: 'artifact',
  agent_name: 'code-writer',
  agent_version: '2.4.1',
  model_id: 'claude-opus-4-1',
  prompt_hash: `sha256:${PROMPT}`,
  policy_pack_hash: `sha256:${'b'.repeat(64)}`,
  human_reviewer: 'alice@example.com',
};
const { human_reviewer: _, ...ofTheRun } = request;
const commit: CommitTokenRequest = { ...ofTheRun, purpose: 'commit', tree_sha: 'c'.repeat(40) };

type Witnessed = Extract<ClaimSource, 'witness-isolated' | 'witness-same-host'>;
const SEEN: ClaimEvidence['claims'] = {
  model_id: 'claude-opus-4-1',
  model_provider: 'anthropic',
  prompt_hash: `sha256:${PROMPT}`,
};
const seenBy = (source: Witnessed, claims = SEEN): readonly ClaimEvidence[] => [{ source, claims }];

const decide = (context: Partial<IssuanceContext> = {}, asked: TokenRequest = request) =>
  decideClaims(asked, {
    issuer: 'https://agents.example.com',
    audiences: ['sigstore'],
    issuedAt: 1_795_000_000,
    lifetimeSeconds: 600,
    jti: 'jti-1',
    ...context,
  });
function claimsOf(context: Partial<IssuanceContext>, asked: TokenRequest = request) {
  const decision = decide(context, asked);
  if (!decision.ok) throw new Error(decision.code);
  return decision.claims;
}
const codeOf = (context: Partial<IssuanceContext>, asked: TokenRequest = request) => {
  const decision = decide(context, asked);
  return decision.ok ? 'ok' : `${decision.code} ${decision.field}`;
};
const sourcesOf = (context: Partial<IssuanceContext>, asked: TokenRequest = request) =>
  parseClaimSources(claimsOf(context, asked).claim_sources);

describe('what a witness confirms', () => {
  it.each(['witness-isolated', 'witness-same-host'] as const)('stands in the token as %s', (source) => {
    for (const asked of [request, commit]) {
      expect(claimsOf({ evidence: seenBy(source) }, asked)).toMatchObject({ ...SEEN, sub: 'agent:code-writer' });
      expect(sourcesOf({ evidence: seenBy(source) }, asked)).toMatchObject({
        model_id: source,
        model_provider: source,
        prompt_hash: source,
        agent_name: 'declared',
        agent_version: 'declared',
        policy_pack_hash: 'declared',
      });
    }
  });

  it('is the model, although nobody saw the prompt', () => {
    const { prompt_hash: _, ...model } = SEEN;
    expect(sourcesOf({ evidence: seenBy('witness-isolated', model) })).toMatchObject({
      model_id: 'witness-isolated',
      prompt_hash: 'declared',
    });
  });

  it('is the prompt, although no one model stands for the run: then the model is declared', () => {
    const { prompt_hash } = SEEN;
    const context = { evidence: seenBy('witness-isolated', { prompt_hash: prompt_hash! }) };
    expect(claimsOf(context)).not.toHaveProperty('model_provider');
    expect(sourcesOf(context)).toMatchObject({ model_id: 'declared', prompt_hash: 'witness-isolated' });
  });

  it('is nothing of the claims that no witness sees, whatever its evidence says', () => {
    const claims = {
      ...SEEN,
      agent_name: 'other',
      agent_version: '9',
      repo: 'evil/shop',
      human_reviewer: 'eve@example.com',
    };
    const token = claimsOf({ evidence: seenBy('witness-isolated', claims) });
    expect(token).toMatchObject({
      agent_name: 'code-writer',
      agent_version: '2.4.1',
      human_reviewer: 'alice@example.com',
    });
    expect(token).not.toHaveProperty('repo');
  });

  it('is the provider before the registry’s word, which rests on the model that was asked for', () => {
    const registry = compileRegistry({ models: [{ id: 'claude-*', provider: 'anthropic' }] });
    expect(sourcesOf({ registry, evidence: seenBy('witness-same-host') })).toMatchObject({
      model_provider: 'witness-same-host',
    });
  });
});

describe('a request that a receipt contradicts is refused', () => {
  it.each<[string, Partial<ArtifactTokenRequest>, string]>([
    ['another model', { model_id: 'claude-opus-5' }, 'issuance.claim_contradicted model_id'],
    ['the model’s name without its version', { model_id: 'claude-opus-4' }, 'issuance.claim_contradicted model_id'],
    ['the model in another case', { model_id: 'Claude-Opus-4-1' }, 'issuance.claim_contradicted model_id'],
    ['another provider', { model_provider: 'openai' }, 'issuance.claim_contradicted model_provider'],
    ['another prompt', { prompt_hash: `sha256:${'d'.repeat(64)}` }, 'issuance.claim_contradicted prompt_hash'],
    ['the same prompt in another spelling', { prompt_hash: PROMPT.toUpperCase() }, 'ok'],
    ['the same provider', { model_provider: 'anthropic' }, 'ok'],
  ])('with %s', (_what, changes, expected) => {
    for (const source of ['witness-isolated', 'witness-same-host'] as const) {
      expect(codeOf({ evidence: seenBy(source) }, { ...request, ...changes })).toBe(expected);
    }
  });

  it('by what the registry says of the provider too', () => {
    const registry = compileRegistry({ models: [{ id: 'claude-*', provider: 'gateway' }] });
    expect(codeOf({ registry, evidence: seenBy('witness-isolated') })).toBe(
      'issuance.claim_contradicted model_provider',
    );
  });

  it('in words that name the claim and the source, and no value', () => {
    const decision = decide({ evidence: seenBy('witness-isolated') }, { ...request, model_id: 'claude-opus-5' });
    expect(decision).toMatchObject({ message: expect.stringMatching(/model_id.*witness-isolated/) });
    expect(JSON.stringify(decision)).not.toContain('claude');
  });
});

describe('the right to every model that answered', () => {
  const callerWith = (may: CallerRights) => ({ caller: { name: 'ci', rights: compileRights(may) } });
  const evidence = seenBy('witness-isolated');

  it('is needed, also for those that the token does not name', () => {
    const context = { ...callerWith({ agents: ['**'], models: ['claude-*'] }), evidence };
    expect(codeOf({ ...context, servedModels: ['claude-opus-4-1', 'claude-haiku-4-5'] })).toBe('ok');
    expect(codeOf({ ...context, servedModels: ['claude-opus-4-1', 'gpt-4o'] })).toBe(
      'caller.model_not_allowed model_id',
    );
  });

  it('is missing before a contradiction is told: who may not have the model learns nothing of the run', () => {
    const context = { ...callerWith({ agents: ['**'], models: ['gpt-*'] }), evidence };
    expect(codeOf(context, { ...request, model_id: 'gpt-4o' })).toBe('caller.model_not_allowed model_id');
  });

  it('is asked of nobody where nobody is asked who they are', () => {
    expect(codeOf({ evidence, servedModels: ['gpt-4o'] })).toBe('ok');
  });
});

describe('a configuration that wants a source', () => {
  const wants = (claim: SourcedClaim, ...accepted: ClaimSource[]) => ({ requiredSources: { [claim]: accepted } });

  it.each<[Witnessed | 'declared', readonly ClaimSource[], string]>([
    ['witness-isolated', ['witness-isolated'], 'ok'],
    ['witness-same-host', ['witness-isolated'], 'issuance.source_not_accepted'],
    ['declared', ['witness-isolated'], 'issuance.source_not_accepted'],
    ['witness-isolated', ['witness-same-host'], 'issuance.source_not_accepted'],
    ['witness-same-host', ['witness-same-host'], 'ok'],
    ['declared', ['witness-same-host'], 'issuance.source_not_accepted'],
    ['witness-isolated', ['declared'], 'issuance.source_not_accepted'],
    ['witness-same-host', ['declared'], 'ok'],
    ['declared', ['declared'], 'ok'],
    ['witness-same-host', ['witness-isolated', 'declared'], 'ok'],
    ['witness-same-host', ['registry', 'caller-token'], 'issuance.source_not_accepted'],
  ])('has %s where it accepts %j', (source, accepted, expected) => {
    const evidence = source === 'declared' ? [] : seenBy(source);
    for (const claim of ['model_id', 'prompt_hash'] as const) {
      const outcome = codeOf({ evidence, ...wants(claim, ...accepted) });
      expect(outcome).toBe(expected === 'ok' ? 'ok' : `${expected} ${claim}`);
    }
  });

  it('has no model from a witness that saw several answer in one, and says so', () => {
    const { prompt_hash } = SEEN;
    const evidence = seenBy('witness-isolated', { prompt_hash: prompt_hash! });
    expect(codeOf({ evidence, ...wants('model_id', 'witness-isolated') })).toBe(
      'issuance.source_not_accepted model_id',
    );
    expect(codeOf({ evidence, ...wants('model_provider', 'witness-isolated') })).toBe(
      'issuance.claim_missing model_provider',
    );
  });

  it('has it from the stronger one of two receipts', () => {
    const evidence = [...seenBy('witness-same-host'), ...seenBy('witness-isolated')];
    expect(codeOf({ evidence, ...wants('model_id', 'witness-isolated') })).toBe('ok');
  });
});
