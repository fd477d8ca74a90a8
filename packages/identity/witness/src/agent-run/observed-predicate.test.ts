import { parseAgentRun, type WitnessReceipt } from '@colophon/records';
import { describe, expect, it } from 'vitest';
import { completedBy, type GitFacts, observedPredicate } from './observed-predicate.ts';

const hash = (digit: string) => `sha256:${digit.repeat(64)}`;
const opus = { upstream: 'anthropic', requested: 'opus', served: 'opus-1', answers: 2, output_tokens: 9 };
const receipt: WitnessReceipt = {
  run_id: '3f2b1c4d-0000-4000-8000-000000000001',
  witness: { key_id: 'A'.repeat(43), place: 'same-host' },
  agent: { name: 'code-writer', version: '1.2.3' },
  input: { prompt_hash: hash('a'), prompt_seen: true, context_token_count: 12 },
  policy: { pack_hash: hash('b') },
  started_at: '2026-11-27T10:00:00Z',
  ended_at: '2026-11-27T10:04:00Z',
  signed_at: '2026-11-27T10:05:00Z',
  outcome: { reason: 'exited', exit_code: 0 },
  upstreams: [{ name: 'anthropic', address: 'https://api.anthropic.com' }],
  models: [{ ...opus, temperature: 0.5, max_tokens: 100 }],
  tools_invoked: [{ name: 'bash', count: 3 }],
};
const git: GitFacts = {
  commit_sha: 'c'.repeat(40),
  tree_sha: 'd'.repeat(40),
  files_changed: ['a.txt'],
  files_changed_count: 1,
  lines_added: 2,
  lines_removed: 1,
  uncommitted_count: 0,
};

describe('the predicate of an observed run', () => {
  it('says all that was seen', () => {
    const predicate = observedPredicate(receipt, hash('e'), git);
    expect(predicate).toEqual({
      agent: { name: 'code-writer', version: '1.2.3' },
      model: { id: 'opus-1', provider: 'anthropic', requested: 'opus', temperature: 0.5, max_tokens: 100 },
      input: { prompt_hash: hash('a'), context_token_count: 12 },
      policy: { pack_hash: hash('b') },
      tools_invoked: [{ name: 'bash', count: 3 }],
      git: {
        commit_sha: git.commit_sha,
        tree_sha: git.tree_sha,
        files_changed: ['a.txt'],
        lines_added: 2,
        lines_removed: 1,
      },
      witness: {
        run_id: receipt.run_id,
        place: 'same-host',
        receipt_hash: hash('e'),
        started_at: '2026-11-27T10:00:00Z',
        ended_at: '2026-11-27T10:04:00Z',
        outcome: { reason: 'exited', exit_code: 0 },
        models: receipt.models,
      },
    });
    expect(parseAgentRun(predicate).ok).toBe(true);
  });

  it('names no model where none stands for the run', () => {
    const unattributed = [{ reason: 'model_absent', upstream: 'anthropic', answers: 1 } as const];
    for (const changed of [
      { ...receipt, unattributed },
      { ...receipt, models: [] },
    ]) {
      expect(observedPredicate(changed, hash('e'), git)['model']).toEqual({});
    }
    expect(observedPredicate({ ...receipt, unattributed }, hash('e'), git)['witness']).toMatchObject({ unattributed });
  });

  it('has a setting of the model only where all of its requests had the same', () => {
    const models = [
      { ...opus, temperature: 0.5, max_tokens: 100 },
      { ...opus, requested: 'opus-1', max_tokens: 100 },
    ];
    const { model } = observedPredicate({ ...receipt, models }, hash('e'), git) as Record<string, object>;
    expect(model).toMatchObject({ id: 'opus-1', max_tokens: 100 });
    expect(model).not.toHaveProperty('temperature');
  });

  it('has no git where there is no commit, and counts what is not listed', () => {
    expect(observedPredicate(receipt, hash('e'), undefined)).not.toHaveProperty('git');
    const many = { ...git, files_changed_count: 1000, uncommitted_count: 3 };
    expect(observedPredicate(receipt, hash('e'), many)['git']).toMatchObject({
      files_changed: ['a.txt'],
      files_changed_count: 1000,
      uncommitted_count: 3,
    });
  });
});

describe('what somebody else knows of the run', () => {
  const observed = {
    agent: { name: 'a' },
    model: {},
    list: [{ name: 'x', count: 1 }],
    witness: { outcome: { reason: 'exited' } },
  };

  it('is added beside what was observed', () => {
    const said = { agent: { name: 'a', 'x/y': 1 }, human_review: { approved: true } };
    expect(completedBy(observed, said)).toEqual({
      predicate: { ...observed, agent: { name: 'a', 'x/y': 1 }, human_review: { approved: true } },
      contradicted: [],
    });
  });

  it('may repeat it, in any order of members', () => {
    expect(completedBy(observed, { list: [{ count: 1, name: 'x' }] }).contradicted).toEqual([]);
  });

  it.each<[string, Parameters<typeof completedBy>[1], string[]]>([
    ['another value', { agent: { name: 'b' } }, ['/agent/name']],
    ['another type', { agent: 'a' }, ['/agent']],
    ['an object for a value', { agent: { name: { first: 'a' } } }, ['/agent/name']],
    ['null', { agent: null }, ['/agent']],
    [
      'a longer list',
      {
        list: [
          { name: 'x', count: 1 },
          { name: 'y', count: 1 },
        ],
      },
      ['/list'],
    ],
    ['several', { list: [], agent: { name: '' } }, ['/list', '/agent/name']],
    ['what the witness does not say of itself', { witness: { isolation: {} } }, ['/witness/isolation']],
    ['what it does not say of the end', { witness: { outcome: { signal: 'SIGINT' } } }, ['/witness/outcome/signal']],
    [
      'a model where none stands for the run',
      { model: { id: 'm', provider: 'p', requested: 'm' } },
      ['/model/id', '/model/provider', '/model/requested'],
    ],
  ])('contradicts it with %s, and what was observed stays', (_name, said, contradicted) => {
    const completed = completedBy(observed, said);
    expect(completed.contradicted).toEqual(contradicted);
    expect(completed.predicate).toEqual(observed);
  });

  it('names the place of a contradiction as a JSON Pointer', () => {
    expect(completedBy({ 'a/b~c': 1 }, { 'a/b~c': 2 }).contradicted).toEqual(['/a~1b~0c']);
  });

  it('changes no prototype', () => {
    const said = JSON.parse('{"__proto__":{"isAdmin":true},"toString":1}');
    const { predicate } = completedBy({}, said);
    expect(JSON.stringify(predicate)).toBe('{"__proto__":{"isAdmin":true},"toString":1}');
    expect((predicate as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});
