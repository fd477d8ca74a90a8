import { describe, expect, it } from 'vitest';
import type { SourcedClaim } from '../claim/claim-table.ts';
import { runContradictions } from './run-consistency.ts';
import { type RunSigner, runSignerOf } from './shared-field.ts';

const COMMIT = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);
const HASH = `sha256:${'c'.repeat(64)}`;
const run = {
  agent: { name: 'writer', version: '1' },
  model: { id: 'model-4', provider: 'vendor' },
  input: { prompt_hash: HASH },
  policy: { pack_hash: HASH },
  human_review: { reviewer: 'alice@example.com', reviewed_at: '2026-11-21T10:00:00Z' },
  git: { commit_sha: COMMIT, repo: 'acme/shop', repo_uri: 'https://forge.example/acme/shop' },
};
const claims = {
  agent_name: 'writer',
  agent_version: '1',
  model_id: 'model-4',
  model_provider: 'vendor',
  prompt_hash: HASH,
  policy_pack_hash: HASH,
  human_reviewer: 'alice@example.com',
  review_timestamp: '2026-11-21T10:00:00Z',
  repo: 'acme/shop',
  repo_uri: 'https://forge.example/acme/shop',
  commit_sha: COMMIT,
};
const by = (changes: { [claim in SourcedClaim]?: string | undefined } = {}, subject = 'agent:writer'): RunSigner =>
  runSignerOf({ ...claims, ...changes }, subject);
const bare = (subject: string, more: RunSigner['claims'] = {}): RunSigner => ({ subject, claims: more });
const check = (signer: RunSigner, predicate: unknown = run, ...gitCommits: (string | undefined)[]) =>
  runContradictions(
    { predicate, subject: gitCommits.map((gitCommit) => ({ digest: gitCommit === undefined ? {} : { gitCommit } })) },
    signer,
  );

describe('a run and its signer say one thing', () => {
  it('where every claim is the field beside it', () => {
    expect(check(by(), run, COMMIT, undefined)).toEqual([]);
  });

  it.each<[SourcedClaim, string, string, string]>([
    ['agent_name', 'agent.name', 'writer', 'fixer'],
    ['agent_version', 'agent.version', '1', '1.0'],
    ['model_id', 'model.id', 'model-4', 'Model-4'],
    ['model_provider', 'model.provider', 'vendor', 'other'],
    ['prompt_hash', 'input.prompt_hash', HASH, `sha256:${'d'.repeat(64)}`],
    ['policy_pack_hash', 'policy.pack_hash', HASH, 'e'.repeat(64)],
    ['human_reviewer', 'human_review.reviewer', 'alice@example.com', 'Alice@example.com'],
    ['review_timestamp', 'human_review.reviewed_at', '2026-11-21T10:00:00Z', '2026-11-21T10:00:00.1Z'],
    ['commit_sha', 'git.commit_sha', COMMIT, OTHER],
  ])('unless %s is another: %s is %s and not %s', (claim, field, stated, expected) => {
    expect(check(by({ [claim]: expected }))).toEqual([{ field, stated, expected }]);
    // Where either of them is silent, nothing is denied; the agent has the subject to speak for it.
    expect(check(by({ [claim]: 'unknown' }))).toEqual([]);
    expect(check(by({ [claim]: '' }))).toEqual([]);
    expect(check(by({ [claim]: undefined }))).toEqual([]);
    const [outer = '', inner = ''] = field.split('.');
    const { [inner]: _left, ...rest } = (run as { [member: string]: { [member: string]: unknown } })[outer] ?? {};
    expect(check(by({ [claim]: expected }), { ...run, [outer]: rest })).toEqual([]);
  });

  it.each<[SourcedClaim, string]>([
    ['prompt_hash', 'C'.repeat(64)],
    ['policy_pack_hash', 'c'.repeat(64)],
    ['commit_sha', COMMIT.toUpperCase()],
    ['review_timestamp', '2026-11-21T10:00:00.000Z'],
    ['repo', 'acme/shop.git'],
    ['repo_uri', 'https://FORGE.example:443/acme/shop.git/'],
  ])('in whatever spelling %s is claimed (%s)', (claim, spelt) => {
    expect(check(by({ [claim]: spelt }))).toEqual([]);
  });

  it('holds a repository against the name and the address that are certified', () => {
    const address = 'https://forge.example/evil/shop';
    expect(check(by({ repo: undefined, repo_uri: address }))).toEqual([
      { field: 'git.repo', stated: 'acme/shop', expected: address },
      { field: 'git.repo_uri', stated: run.git.repo_uri, expected: address },
    ]);
    expect(check(by({ repo: 'evil/shop', repo_uri: undefined }))).toEqual([
      { field: 'git.repo', stated: 'acme/shop', expected: 'evil/shop' },
      { field: 'git.repo_uri', stated: run.git.repo_uri, expected: 'evil/shop' },
    ]);
    const named = { ...run, git: { commit_sha: COMMIT, repo: 'acme/shop' } };
    expect(check(by({ repo_uri: address }), named)).toEqual([
      { field: 'git.repo', stated: 'acme/shop', expected: address },
    ]);
  });

  it('holds every commit among the subjects against the certified one, else against the run’s own', () => {
    const found = { stated: OTHER, expected: COMMIT };
    expect(check(by(), run, undefined, OTHER, COMMIT)).toEqual([{ field: 'subject.1.digest.gitCommit', ...found }]);
    expect(check(by({ commit_sha: undefined }), run, OTHER)).toEqual([
      { field: 'subject.0.digest.gitCommit', ...found },
    ]);
    expect(check(by(), run, COMMIT.toUpperCase())).toEqual([]);
    expect(check(by({ commit_sha: OTHER }), { ...run, git: {} }, COMMIT)).toEqual([
      { field: 'subject.0.digest.gitCommit', stated: COMMIT, expected: OTHER },
    ]);
    expect(check(by({ commit_sha: undefined }), { ...run, git: {} }, COMMIT, OTHER)).toEqual([]);
  });

  it('stands for its agent only with a certificate of that agent', () => {
    expect(check(bare('agent:writer'))).toEqual([]);
    expect(check(bare('https://ci.example/build', { agent_name: 'writer' }))).toEqual([]);
    for (const subject of ['https://ci.example/build', 'reviewer:writer', 'xagent:writer', 'agent:', '']) {
      expect(check(bare(subject))).toEqual([{ field: 'agent.name', stated: 'writer' }]);
      expect(check(bare(subject, { agent_name: 'unknown' }))).toEqual([{ field: 'agent.name', stated: 'writer' }]);
    }
    expect(check(bare('agent:fixer'))).toEqual([{ field: 'agent.name', stated: 'writer', expected: 'fixer' }]);
    expect(check(bare('agent:fixer', { agent_name: 'writer' }))).toEqual([]);
  });

  it.each([[undefined], [null], ['x'], [7], [[]], [{ agent: null, model: 'x', git: [] }], [{ agent: { name: 7 } }]])(
    'where a predicate says nothing that can be read: %j',
    (predicate) => {
      expect(runContradictions({ predicate, subject: [] }, bare('nobody'))).toEqual([]);
    },
  );

  it('reads no member that a predicate inherits', () => {
    expect(check(bare('nobody'), Object.create({ agent: { name: 'writer' } }))).toEqual([]);
  });
});

describe('runSignerOf', () => {
  it('takes the claims that are text, and the agent of a request for its subject', () => {
    expect(runSignerOf({ agent_name: 'writer', model_id: 7, sub: 'agent:root', repo: 'a/b' })).toEqual({
      subject: 'agent:writer',
      claims: { agent_name: 'writer', repo: 'a/b' },
    });
    expect(runSignerOf({}).subject).toBe('agent:');
    expect(runSignerOf({ agent_name: 'writer' }, 'reviewer:x').subject).toBe('reviewer:x');
  });
});
