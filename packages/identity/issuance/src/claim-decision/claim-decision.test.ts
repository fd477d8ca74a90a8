import {
  type ArtifactTokenRequest,
  type ClaimSource,
  type CommitTokenRequest,
  parseClaimSources,
  parsePurpose,
  parseTokenRequest,
  RESERVED_CLAIMS,
  type ReviewTokenRequest,
  SOURCED_CLAIMS,
  type SourcedClaim,
  type TokenRequest,
} from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLAIM_RULES } from '../claim-rule/claim-rule.ts';
import { decideClaims } from './claim-decision.ts';
import type { ClaimEvidence, IssuanceContext } from './issuance-context.ts';
import { ISSUANCE_REFUSAL_CODES } from './issuance-refusal.ts';

const hash = `sha256:${'a'.repeat(64)}`;
const six: ArtifactTokenRequest = {
  purpose: 'artifact',
  agent_name: 'code-writer',
  agent_version: '1.2.3',
  model_id: 'model-4',
  prompt_hash: hash,
  policy_pack_hash: hash,
  human_reviewer: 'jane@example.com',
};
const full: ArtifactTokenRequest = {
  ...six,
  model_provider: 'vendor',
  review_timestamp: '2026-11-21T10:00:00Z',
  repo: 'org/repo',
  repo_uri: 'https://forge.example/org/repo',
  commit_sha: 'b'.repeat(40),
  tree_sha: 'c'.repeat(40),
  parent_sha: 'd'.repeat(40),
  audience: 'other',
};
const review: ReviewTokenRequest = {
  purpose: 'review',
  human_reviewer: 'jane@example.com',
  repo: 'org/repo',
  repo_uri: 'https://forge.example/org/repo',
  commit_sha: 'b'.repeat(40),
};
const commit: CommitTokenRequest = {
  purpose: 'commit',
  agent_name: 'code-writer',
  agent_version: '1.2.3',
  model_id: 'model-4',
  model_provider: 'vendor',
  prompt_hash: hash,
  policy_pack_hash: hash,
  human_reviewer: 'jane@example.com',
  repo: 'org/repo',
  repo_uri: 'https://forge.example/org/repo',
  tree_sha: 'c'.repeat(40),
  parent_sha: 'd'.repeat(40),
};
/** Of the key in RFC 7638 §3.1. */
const JKT = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';
const context: IssuanceContext = {
  issuer: 'http://localhost:7080',
  audiences: ['sigstore', 'other'],
  issuedAt: 1_795_000_000,
  lifetimeSeconds: 600,
  jti: 'jti-1',
  agentId: 'agent-1',
};

const decide = (request: TokenRequest, changes: Partial<IssuanceContext> = {}) =>
  decideClaims(request, { ...context, ...changes });
function claimsOf(request: TokenRequest, changes: Partial<IssuanceContext> = {}) {
  const decision = decide(request, changes);
  if (!decision.ok) throw new Error(decision.code);
  return decision.claims;
}
const evidence = (source: ClaimEvidence['source'], claims: ClaimEvidence['claims']): ClaimEvidence => ({
  source,
  claims,
});

describe('decideClaims for an agent', () => {
  it('makes a token of the six fields of contract §2.2', () => {
    const { purpose: _, ...claims } = six;
    expect(claimsOf(six)).toStrictEqual({
      ...claims,
      iss: 'http://localhost:7080',
      sub: 'agent:code-writer',
      aud: 'sigstore',
      exp: 1_795_000_600,
      iat: 1_795_000_000,
      jti: 'jti-1',
      agent_id: 'agent-1',
      claim_sources:
        'purpose=artifact;agent_name=declared;agent_version=declared;model_id=declared;policy_pack_hash=declared;' +
        'prompt_hash=declared;human_reviewer=declared',
    });
  });

  it('carries every optional field, each as declared', () => {
    const { purpose: _, audience, ...claims } = full;
    expect(claimsOf(full)).toMatchObject({ ...claims, aud: audience });
    expect(parseClaimSources(claimsOf(full).claim_sources)).toStrictEqual(
      Object.fromEntries(SOURCED_CLAIMS.map((claim) => [claim, 'declared'])),
    );
  });

  it('carries the trigger and the agent id of the context, and leaves out what is empty', () => {
    expect(claimsOf(six, { trigger: 'pull_request' })).toMatchObject({ trigger: 'pull_request' });
    const bare = claimsOf(six, { trigger: '', agentId: '' });
    expect(bare).not.toHaveProperty('trigger');
    expect(bare).not.toHaveProperty('agent_id');
  });
});

describe('decideClaims for a commit', () => {
  it('makes a token of the agent for a tree that nobody reviewed yet', () => {
    const { human_reviewer: _, ...unreviewed } = commit;
    const { purpose, ...claims } = unreviewed;
    expect(claimsOf(unreviewed)).toMatchObject({ ...claims, sub: 'agent:code-writer', agent_id: 'agent-1' });
    expect(claimsOf(unreviewed)).not.toHaveProperty('human_reviewer');
    expect(parsePurpose(claimsOf(unreviewed).claim_sources)).toBe(purpose);
  });

  it('is not what triggered the job of the caller, whatever their token says', () => {
    const triggered = { commit_sha: 'b'.repeat(40), tree_sha: 'e'.repeat(40), parent_sha: 'f'.repeat(40) };
    const claims = claimsOf(commit, { evidence: [evidence('caller-token', triggered)] });
    expect(claims).toMatchObject({ tree_sha: commit.tree_sha, parent_sha: commit.parent_sha });
    expect(claims).not.toHaveProperty('commit_sha');
    expect(parseClaimSources(claims.claim_sources)).toMatchObject({ tree_sha: 'declared', parent_sha: 'declared' });
  });

  it('needs those claims of a strict configuration that it can have', () => {
    const { model_provider: _, ...without } = commit;
    const requiredClaims = ['commit_sha', 'review_timestamp', 'model_provider'] as const;
    expect(decide(without, { requiredClaims })).toMatchObject({
      code: 'issuance.claim_missing',
      field: 'model_provider',
    });
    expect(decide(commit, { requiredClaims }).ok).toBe(true);
  });
});

describe('a key that a token is bound to', () => {
  it.each([six, commit, review])('stands in the token as a flat claim and as cnf ($purpose)', (request) => {
    expect(claimsOf({ ...request, dpop_jkt: JKT })).toMatchObject({ key_thumbprint: JKT, cnf: { jkt: JKT } });
    expect(claimsOf(request)).not.toHaveProperty('key_thumbprint');
    expect(claimsOf(request)).not.toHaveProperty('cnf');
  });
});

describe('decideClaims for a reviewer', () => {
  it('makes a token whose subject is the reviewer, without an agent', () => {
    expect(claimsOf(review)).toStrictEqual({
      iss: 'http://localhost:7080',
      sub: 'reviewer:jane@example.com',
      aud: 'sigstore',
      exp: 1_795_000_600,
      iat: 1_795_000_000,
      jti: 'jti-1',
      human_reviewer: 'jane@example.com',
      repo: 'org/repo',
      repo_uri: 'https://forge.example/org/repo',
      commit_sha: 'b'.repeat(40),
      claim_sources: 'purpose=review;human_reviewer=declared;repo=declared;repo_uri=declared;commit_sha=declared',
    });
  });

  it('writes the address in lower case, and that in the token of an agent as the agent says it', () => {
    const spelt = { human_reviewer: 'Jane@Example.COM' };
    expect(claimsOf({ ...review, ...spelt })).toMatchObject({
      sub: 'reviewer:jane@example.com',
      human_reviewer: 'jane@example.com',
    });
    expect(claimsOf({ ...six, ...spelt })).toMatchObject(spelt);
  });

  it('takes no claim of an agent, whoever supplies it', () => {
    const claims = claimsOf(review, {
      evidence: [evidence('registry', { agent_name: 'x' }), evidence('review-event', { review_timestamp: 'y' })],
    });
    expect(claims).not.toHaveProperty('agent_name');
    expect(claims).not.toHaveProperty('review_timestamp');
    expect(claims.sub).toBe('reviewer:jane@example.com');
  });

  it('believes the token of whoever signed in about who they are, and refuses another name', () => {
    const signedIn = [evidence('caller-token', { human_reviewer: 'jane@example.com' })];
    expect(parseClaimSources(claimsOf(review, { evidence: signedIn }).claim_sources)).toMatchObject({
      human_reviewer: 'caller-token',
    });
    const other = [evidence('caller-token', { human_reviewer: 'joe@example.com' })];
    expect(decide(review, { evidence: other })).toMatchObject({
      ok: false,
      code: 'issuance.claim_contradicted',
      field: 'human_reviewer',
    });
  });

  it('needs none of the claims that a strict configuration requires of agents', () => {
    expect(decide(review, { requiredClaims: ['model_provider'] }).ok).toBe(true);
  });
});

describe('the audience', () => {
  it('is the first of the list where the request names none', () => {
    expect(claimsOf(six).aud).toBe('sigstore');
    expect(claimsOf(six, { audiences: ['own', 'sigstore'] }).aud).toBe('own');
  });

  it.each(['elsewhere', 'Sigstore', 'sigstore ', 'sigstor', ''])('is refused outside the list: "%s"', (audience) => {
    for (const request of [six, review]) {
      expect(decide({ ...request, audience })).toStrictEqual({
        ok: false,
        code: 'issuance.audience_not_allowed',
        field: 'audience',
        message: expect.stringMatching(/\.$/),
      });
    }
  });
});

describe('the precedence of sources', () => {
  /** The rule of CLAIM_RULES, written out by hand: sources strongest first. */
  const artifact: [SourcedClaim, ...ClaimSource[]][] = [
    ['agent_name', 'registry', 'declared'],
    ['agent_version', 'declared'],
    ['model_id', 'witness-isolated', 'witness-same-host', 'declared'],
    ['model_provider', 'witness-isolated', 'witness-same-host', 'registry', 'declared'],
    ['policy_pack_hash', 'declared'],
    ['prompt_hash', 'witness-isolated', 'witness-same-host', 'declared'],
    ['human_reviewer', 'review-event', 'declared'],
    ['review_timestamp', 'review-event', 'declared'],
    ['repo', 'caller-token', 'declared'],
    ['repo_uri', 'caller-token', 'declared'],
    ['commit_sha', 'caller-token', 'declared'],
    ['tree_sha', 'declared'],
    ['parent_sha', 'declared'],
  ];
  const reviewer: typeof artifact = [
    ['human_reviewer', 'caller-token', 'declared'],
    ['repo', 'caller-token', 'declared'],
    ['repo_uri', 'caller-token', 'declared'],
    ['commit_sha', 'caller-token', 'declared'],
  ];
  const beforeCommit = artifact.filter(([claim]) => claim !== 'review_timestamp' && claim !== 'commit_sha');
  const table = [
    ...beforeCommit.map(([claim, ...sources]) => ['commit', claim, sources] as const),
    ...artifact.map(([claim, ...sources]) => ['artifact', claim, sources] as const),
    ...reviewer.map(([claim, ...sources]) => ['review', claim, sources] as const),
  ];
  const others = ['caller-token', 'review-event', 'witness-isolated', 'witness-same-host', 'registry'] as const;
  const requestOf = (purpose: TokenRequest['purpose']): TokenRequest => ({ artifact: full, commit, review })[purpose];
  const declaredIn = (request: TokenRequest, claim: SourcedClaim) =>
    (request as { readonly [name in SourcedClaim]?: string })[claim] as string;
  /** From what a source derives its word, by hand too; whoever supplies it here supplies both. */
  const baseOf: { readonly [claim in SourcedClaim]?: { readonly [source in ClaimSource]?: SourcedClaim } } = {
    model_provider: { registry: 'model_id' },
    review_timestamp: { 'review-event': 'human_reviewer' },
  };

  it('has a rule for exactly the claims of the table', () => {
    const namesOf = (rules: object) => Object.keys(rules).sort();
    expect(namesOf(CLAIM_RULES.artifact)).toEqual(artifact.map(([claim]) => claim).sort());
    expect(namesOf(CLAIM_RULES.commit)).toEqual(beforeCommit.map(([claim]) => claim).sort());
    expect(namesOf(CLAIM_RULES.review)).toEqual(reviewer.map(([claim]) => claim).sort());
  });

  it.each(table)('%s: %s, believed of %j, and a contradiction is refused', (purpose, claim, sources) => {
    const request = requestOf(purpose);
    const value = declaredIn(request, claim);
    for (const source of others) {
      const agreeing = decide(request, { evidence: [evidence(source, { [claim]: value })] });
      const strongest = sources.includes(source) && !baseOf[claim]?.[source] ? source : 'declared';
      expect(agreeing.ok && parseClaimSources(agreeing.claims.claim_sources)[claim]).toBe(strongest);

      const decision = decide(request, { evidence: [evidence(source, { [claim]: 'known' })] });
      if (!sources.includes(source)) expect(decision).toMatchObject({ ok: true, claims: { [claim]: value } });
      else {
        expect(decision).toStrictEqual({
          ok: false,
          code: 'issuance.claim_contradicted',
          field: claim,
          message: `${claim} is not what ${source} says.`,
        });
      }
    }
  });

  it.each(table)('%s: %s is supplied by each of its sources where nobody declares it', (purpose, claim, sources) => {
    const value = declaredIn(requestOf(purpose), claim);
    const { [claim as 'repo']: _said, ...rest } = requestOf(purpose);
    for (const source of sources.filter((name) => name !== 'declared')) {
      const decision = decide(rest as TokenRequest, { evidence: [evidence(source, { [claim]: value })] });
      expect(decision).toMatchObject({ ok: true, claims: { [claim]: value } });
      const worth = baseOf[claim]?.[source] ? 'declared' : source;
      expect(decision.ok && parseClaimSources(decision.claims.claim_sources)[claim]).toBe(worth);
    }
  });

  it('believes the strongest of those that agree, in whatever order they come', () => {
    const pair = [
      evidence('registry', { model_provider: 'vendor' }),
      evidence('witness-same-host', { model_provider: 'vendor' }),
      evidence('witness-isolated', { model_provider: 'vendor' }),
    ];
    for (const ordered of [pair, [...pair].reverse()]) {
      const claims = claimsOf(six, { evidence: ordered });
      expect(claims.model_provider).toBe('vendor');
      expect(claims.claim_sources).toContain('model_provider=witness-isolated');
    }
  });

  it.each<[SourcedClaim, string, string]>([
    ['commit_sha', 'B'.repeat(40), 'b'.repeat(40)],
    ['repo', 'org/repo.git', 'org/repo.git'],
    ['repo_uri', 'https://Forge.Example:443/org/repo.git', 'https://Forge.Example:443/org/repo.git'],
  ])('takes %s in another spelling (%s) for the same', (claim, spelt, written) => {
    const decision = decide(full, { evidence: [evidence('caller-token', { [claim]: spelt })] });
    expect(decision).toMatchObject({ ok: true, claims: { [claim]: written } });
    expect(decision.ok && parseClaimSources(decision.claims.claim_sources)[claim]).toBe('caller-token');
  });

  it('refuses the commit of a merge that the request does not name: the caller builds what it says, or says nothing', () => {
    const merge = [evidence('caller-token', { commit_sha: 'c'.repeat(40) })];
    expect(decide(full, { evidence: merge })).toMatchObject({
      code: 'issuance.claim_contradicted',
      field: 'commit_sha',
    });
    const { commit_sha: _left, ...silent } = full;
    expect(claimsOf(silent, { evidence: merge })).toMatchObject({ commit_sha: 'c'.repeat(40) });
  });

  it.each([
    ['in one request', { repo_uri: 'https://forge.example/org/other' }, []],
    ['from two sources', {}, [evidence('caller-token', { repo_uri: 'https://forge.example/evil/repo' })]],
  ])('refuses a name and an address of two repositories %s', (_title, changes, from) => {
    const { repo_uri: _left, ...named } = full;
    for (const request of [named, { ...review, repo_uri: undefined }]) {
      expect(decide({ ...request, ...changes } as TokenRequest, { evidence: from })).toStrictEqual({
        ok: false,
        code: 'issuance.claim_contradicted',
        field: 'repo_uri',
        message: expect.stringMatching(/\.$/),
      });
    }
  });

  it('gives a derived claim no better source than that of the claim it is derived from', () => {
    const provider = evidence('registry', { model_provider: 'vendor' });
    const time = evidence('review-event', { review_timestamp: '2026-11-21T10:00:00Z' });
    const sourcesWith = (...from: ClaimEvidence[]) =>
      parseClaimSources(claimsOf(six, { evidence: from }).claim_sources);
    expect(sourcesWith(provider, time)).toMatchObject({ model_provider: 'declared', review_timestamp: 'declared' });
    const witness = evidence('witness-same-host', { model_id: six.model_id });
    const event = evidence('review-event', { human_reviewer: six.human_reviewer });
    expect(sourcesWith(provider, time, witness, event)).toMatchObject({
      model_provider: 'registry',
      review_timestamp: 'review-event',
    });
    const nameless = claimsOf({ ...six, model_id: '' }, { evidence: [provider] });
    expect(parseClaimSources(nameless.claim_sources)).toMatchObject({ model_provider: 'declared' });
    // What somebody saw for themselves is derived from nothing.
    expect(sourcesWith(evidence('witness-isolated', { model_provider: 'vendor' }))).toMatchObject({
      model_provider: 'witness-isolated',
    });
  });

  it('refuses two stronger sources that contradict each other', () => {
    const pair = [
      evidence('witness-isolated', { model_id: six.model_id }),
      evidence('witness-same-host', { model_id: 'model-5' }),
    ];
    expect(decide(six, { evidence: pair })).toMatchObject({ code: 'issuance.claim_contradicted', field: 'model_id' });
  });

  it.each(['', 'unknown', undefined])('counts "%s" as nothing supplied', (nothing) => {
    const supplied = [{ source: 'caller-token', claims: { repo: nothing } } as ClaimEvidence];
    expect(claimsOf(full, { evidence: supplied })).toMatchObject({ repo: 'org/repo' });
    const claims = claimsOf(six, { evidence: supplied });
    expect(claims).not.toHaveProperty('repo');
    expect(claims.claim_sources).not.toContain('repo');
    expect(claimsOf({ ...six, repo: nothing } as TokenRequest)).not.toHaveProperty('repo');
  });
});

describe('required claims', () => {
  it('refuse an agent without one of them, and name it', () => {
    expect(decide(six, { requiredClaims: ['agent_name', 'repo'] })).toStrictEqual({
      ok: false,
      code: 'issuance.claim_missing',
      field: 'repo',
      message: expect.stringMatching(/\.$/),
    });
    expect(decide(full, { requiredClaims: [...SOURCED_CLAIMS] }).ok).toBe(true);
    expect(decide(six, { requiredClaims: [] }).ok).toBe(true);
  });
});

describe('a context that cannot be', () => {
  it.each<[string, Partial<IssuanceContext>, RegExp]>([
    ['no issuer', { issuer: '' }, /issuer and jti/],
    ['no jti', { jti: '' }, /issuer and jti/],
    ['no audience', { audiences: [] }, /audiences/],
    ['an empty audience', { audiences: ['sigstore', ''] }, /audiences/],
    ['half a second', { issuedAt: 1.5 }, /issuedAt/],
    ['a time before the epoch', { issuedAt: -1 }, /issuedAt/],
    ['no time', { issuedAt: Number.NaN }, /issuedAt/],
    ['no lifetime', { lifetimeSeconds: 0 }, /lifetimeSeconds/],
    ['half a second of lifetime', { lifetimeSeconds: 600.5 }, /lifetimeSeconds/],
  ])('throws TypeError: %s', (_title, changes, message) => {
    expect(() => decide(six, changes)).toThrow(TypeError);
    expect(() => decide(six, changes)).toThrow(message);
  });

  it('may be as small as a second at the epoch', () => {
    expect(claimsOf(six, { issuedAt: 0, lifetimeSeconds: 1 })).toMatchObject({ iat: 0, exp: 1 });
  });

  it.each([
    { ...six, agent_name: '' },
    { ...review, human_reviewer: 'unknown' },
  ])('throws TypeError for a request that names no subject', (request) => {
    expect(() => decide(request)).toThrow(TypeError);
  });
});

describe('whatever is asked for', () => {
  const word = fc.oneof(fc.stringMatching(/^[!-~]{1,20}$/), fc.constantFrom('a', 'unknown', 'x;sub=agent:evil'));
  const anyBody = fc
    .tuple(
      fc.constantFrom<object>(full, six, commit, review, { ...six, dpop_jkt: JKT }, {}),
      fc.dictionary(
        fc.constantFrom(
          ...SOURCED_CLAIMS,
          ...RESERVED_CLAIMS,
          'purpose',
          'audience',
          'dpop_jkt',
          '__proto__',
          'constructor',
        ),
        fc.oneof(word, fc.constantFrom(null, '', 1, 'commit', 'review', 'sigstore', JKT)),
        { maxKeys: 3 },
      ),
    )
    .map(([base, changes]) => new TextEncoder().encode(JSON.stringify({ ...base, ...changes })));
  const anyEvidence = fc.array(
    fc.record({
      source: fc.constantFrom('caller-token', 'review-event', 'witness-isolated', 'witness-same-host', 'registry'),
      claims: fc.dictionary(fc.constantFrom(...SOURCED_CLAIMS), word, { maxKeys: 3, noNullPrototype: true }),
    }),
    { maxLength: 3 },
  ) as fc.Arbitrary<ClaimEvidence[]>;

  it("no request ever sets a claim that is the issuer's, and every claim is flat and not empty", () => {
    let minted = 0;
    fc.assert(
      fc.property(
        anyBody,
        anyEvidence,
        fc.nat(2 ** 40),
        fc.integer({ min: 1, max: 86_400 }),
        (body, from, iat, life) => {
          const parsed = parseTokenRequest(body);
          if (!parsed.ok) return;
          const decision = decide(parsed.value, { evidence: from, issuedAt: iat, lifetimeSeconds: life });
          if (!decision.ok) {
            expect(ISSUANCE_REFUSAL_CODES).toContain(decision.code);
            return;
          }
          minted += 1;
          const { claims } = decision;
          const isAgent = parsed.value.purpose !== 'review';
          expect(claims).toMatchObject({ iss: context.issuer, jti: context.jti, iat, exp: iat + life });
          expect(claims.sub).toBe(isAgent ? `agent:${claims.agent_name}` : `reviewer:${claims.human_reviewer}`);
          expect(context.audiences).toContain(claims.aud);
          const allowed = ['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'claim_sources', ...SOURCED_CLAIMS];
          if (isAgent) allowed.push('agent_id');
          if (parsed.value.dpop_jkt !== undefined) allowed.push('key_thumbprint', 'cnf');
          expect(claims.cnf?.jkt).toBe(claims.key_thumbprint);
          expect(parsePurpose(claims.claim_sources)).toBe(parsed.value.purpose);
          for (const [name, value] of Object.entries(claims)) {
            expect(allowed).toContain(name);
            if (name !== 'iat' && name !== 'exp' && name !== 'cnf') expect(value).toMatch(/^[ -~]+$/);
          }
          const carried = SOURCED_CLAIMS.filter((claim) => claims[claim] !== undefined);
          expect(Object.keys(parseClaimSources(claims.claim_sources))).toEqual(carried);
        },
      ),
      { numRuns: 3000 },
    );
    expect(minted).toBeGreaterThan(300);
  });
});
