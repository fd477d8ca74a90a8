import { describe, expect, it } from 'vitest';
import { parseAgentRun } from '../agent-run/agent-run.ts';
import { claimOfRunField, completeAgentRun } from './completed-run.ts';
import { runSignerOf } from './shared-field.ts';

const signer = runSignerOf({
  agent_name: 'writer',
  agent_version: '1',
  model_id: 'model-4',
  model_provider: 'vendor',
  prompt_hash: 'C'.repeat(64),
  policy_pack_hash: `sha256:${'d'.repeat(64)}`,
  human_reviewer: 'alice@example.com',
  review_timestamp: '2026-11-21T10:00:00.000Z',
  repo: 'acme/shop',
  repo_uri: 'https://forge.example/acme/shop',
  commit_sha: 'a'.repeat(40),
});
const FULL = {
  agent: { name: 'writer', version: '1' },
  model: { id: 'model-4', provider: 'vendor' },
  input: { prompt_hash: `sha256:${'c'.repeat(64)}` },
  policy: { pack_hash: `sha256:${'d'.repeat(64)}` },
  human_review: { reviewer: 'alice@example.com', reviewed_at: '2026-11-21T10:00:00Z' },
  git: { commit_sha: 'a'.repeat(40) },
};

describe('completeAgentRun', () => {
  it('writes what the claims say, in the spelling of records, and that is a run', () => {
    const run = completeAgentRun({}, signer);
    expect(run).toEqual(FULL);
    expect(parseAgentRun(run).ok).toBe(true);
  });

  it('changes nothing that is there, right or wrong, and not what it was given', () => {
    const partial = { model: { id: 'other', temperature: 1 }, input: 'none', more: [1] };
    const before = structuredClone(partial);
    const run = completeAgentRun(partial, signer);
    expect(run).toEqual({
      ...FULL,
      model: { id: 'other', temperature: 1, provider: 'vendor' },
      input: 'none',
      more: [1],
    });
    expect(partial).toEqual(before);
  });

  it('leaves empty what nobody says, so that each missing field is named', () => {
    const run = completeAgentRun({}, { subject: 'reviewer:x', claims: { model_id: 'unknown', repo: '' } });
    expect(run).toEqual({ agent: {}, model: {}, input: {}, policy: {}, git: {} });
    const parsed = parseAgentRun(run);
    expect(parsed.ok ? [] : parsed.issues.map(({ path }) => path)).toEqual([
      '/agent/name',
      '/agent/version',
      '/model/id',
      '/model/provider',
      '/input/prompt_hash',
      '/policy/pack_hash',
      '/git/commit_sha',
    ]);
  });
});

it('claimOfRunField knows which claim fills a field', () => {
  expect(claimOfRunField('/git/commit_sha')).toBe('commit_sha');
  expect(claimOfRunField('/input/prompt_hash')).toBe('prompt_hash');
  expect(claimOfRunField('/model/temperature')).toBeUndefined();
  expect(claimOfRunField('/model')).toBeUndefined();
});
