import { canonicalClaim, type SourcedClaim, type TokenRequest } from '@colophon/records';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileRights } from '../caller-rights/caller-rights.ts';
import { decideClaims } from './claim-decision.ts';
import type { ClaimEvidence, IssuanceContext } from './issuance-context.ts';

const HASH = `sha256:${'a'.repeat(64)}`;
const CONTEXT: IssuanceContext = {
  issuer: 'https://agents.example.com',
  audiences: ['sigstore', 'staging'],
  issuedAt: 1_795_240_800,
  lifetimeSeconds: 600,
  jti: 'jti',
  agentId: 'agent-id',
};

const oneOf = (...values: readonly string[]) => fc.constantFrom(...values);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const agents = oneOf('code-writer', 'code-writer-2', 'Code-Writer', 'payroll', 'p');
const repositories = oneOf('acme/shop', 'acme/other', 'acme-evil/shop', 'evil/shop');
const addresses = oneOf(
  'https://github.com/acme/shop',
  'https://github.com/acme/other',
  'https://evil.example/acme/shop',
);
const commits = oneOf('a'.repeat(40), 'b'.repeat(40));

const patterns = (names: fc.Arbitrary<string>) =>
  fc.array(
    fc.oneof(names, oneOf('*', '**', 'code-*', '*/shop', '*-2'), oneOf('acme/*', 'https://github.com/**', 'claude-*')),
    { minLength: 1, maxLength: 6 },
  );

const requests: fc.Arbitrary<TokenRequest> = fc
  .record({
    agent_name: agents,
    model_id: oneOf('claude-1', 'other/claude-1'),
    repo: maybe(repositories),
    repo_uri: maybe(addresses),
    commit_sha: maybe(commits),
    audience: maybe(oneOf('sigstore', 'staging')),
  })
  .map((fields) => ({
    purpose: 'artifact',
    agent_version: '1',
    prompt_hash: HASH,
    policy_pack_hash: HASH,
    human_reviewer: 'alice@example.com',
    ...(JSON.parse(JSON.stringify(fields)) as typeof fields),
  })) as fc.Arbitrary<TokenRequest>;

const evidence: fc.Arbitrary<readonly ClaimEvidence[]> = fc
  .record({ repo: maybe(repositories), repo_uri: maybe(addresses), commit_sha: maybe(commits) })
  .map((claims) => [{ source: 'caller-token' as const, claims: JSON.parse(JSON.stringify(claims)) }]);

/** What a pattern means, said in another way than the code says it; no name here has a character that is a word of it. */
const means = (pattern: string, name: string) =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\*+/g, (star) => (star === '*' ? '[^/]*' : '.*'))}$`).test(
    name,
  );

const rights = fc.record({
  agents: patterns(agents),
  models: maybe(patterns(oneOf('claude-1'))),
  repositories: maybe(patterns(repositories)),
  audiences: maybe(patterns(oneOf('sigstore'))),
});

it('no request gets a token for an agent, a model, a repository or an audience that its caller’s rights do not name', () => {
  let granted = 0;
  fc.assert(
    fc.property(rights, requests, evidence, (may, request, confirmed) => {
      const caller = { name: 'builder', rights: compileRights(may) };
      const decision = decideClaims(request, { ...CONTEXT, caller, evidence: confirmed });
      if (!decision.ok) return;
      granted += 1;
      const { agent_name, model_id, repo, aud, sub } = decision.claims as unknown as Record<string, string>;
      const allowed = (list: readonly string[] | undefined, name: string | undefined) =>
        list === undefined || name === undefined || list.some((pattern) => means(pattern, name));
      expect(sub).toBe(`agent:${agent_name}`);
      expect(allowed(may.agents, agent_name)).toBe(true);
      expect(allowed(may.models, model_id)).toBe(true);
      expect(allowed(may.repositories, repo)).toBe(true);
      expect(allowed(may.audiences, aud)).toBe(true);
    }),
    { numRuns: 20_000 },
  );
  expect(granted).toBeGreaterThan(50);
});

it('every claim that a token has from the caller’s token says what that token says, and no other claim names it', () => {
  let granted = 0;
  fc.assert(
    fc.property(requests, evidence, (request, confirmed) => {
      const decision = decideClaims(request, { ...CONTEXT, evidence: confirmed });
      if (!decision.ok) return;
      granted += 1;
      const claims = decision.claims as unknown as Record<string, string>;
      const said = confirmed[0]!.claims as Record<string, string | undefined>;
      const sources = Object.fromEntries(claims['claim_sources']!.split(/[ ,;]+/).map((pair) => pair.split('=')));
      for (const [claim, source] of Object.entries(sources)) {
        expect(source === 'caller-token').toBe(said[claim] !== undefined);
      }
      for (const [claim, value] of Object.entries(said)) {
        expect(claims[claim]).toBe(canonicalClaim(claim as SourcedClaim, value!));
        const asked = (request as unknown as Record<string, string | undefined>)[claim];
        if (asked !== undefined) expect(asked).toBe(value);
      }
    }),
    { numRuns: 5_000 },
  );
  expect(granted).toBeGreaterThan(100);
});
