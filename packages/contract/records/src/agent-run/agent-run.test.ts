import { describe, expect, it } from 'vitest';
import { parseStatement } from '../statement/parse-statement.ts';
import { type AgentRun, createAgentRunStatement, parseAgentRun } from './agent-run.ts';

const hash = `sha256:${'a'.repeat(64)}`;
const commit_sha = 'b'.repeat(40);
const smallest: AgentRun = {
  agent: { name: 'code-writer', version: '1.2.3' },
  model: { id: 'model-4', provider: 'vendor' },
  input: { prompt_hash: hash },
  policy: { pack_hash: hash },
  git: { commit_sha },
};
const full: AgentRun = {
  agent: { name: 'code-writer', version: '1.2.3' },
  model: { id: 'model-4', provider: 'vendor', temperature: 0.2, max_tokens: 4096 },
  input: { prompt_hash: hash, context_files: ['src/a.ts', 'docs/ü b.md'], context_token_count: 12_000 },
  policy: { pack_hash: hash, rules_evaluated: 12, rules_violated: 0 },
  tools_invoked: [
    { name: 'bash', count: 3, exit_code: 0 },
    { name: 'edit', count: 5 },
    { name: 'test', count: 1, exit_code: -9 },
  ],
  human_review: {
    reviewer: 'jane@example.com',
    reviewed_at: '2026-11-21T10:00:00Z',
    review_duration_seconds: 340,
    approved: true,
  },
  git: { commit_sha, files_changed: ['src/a.ts'], lines_added: 10, lines_removed: 0 },
};
const subjects = [{ name: 'app.tar', digest: { sha256: 'c'.repeat(64) } }];

const issuesOf = (value: unknown) => {
  const result = parseAgentRun(value);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
};
/** The full predicate with one place changed; undefined takes it away. */
function changed(path: string, value: unknown): unknown {
  const copy = structuredClone(full) as unknown as Record<string, unknown>;
  const names = path.split('/').slice(1);
  const last = names.pop()!;
  const parent = names.reduce((at, name) => at[name] as Record<string, unknown>, copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

const required = [
  ...['/agent', '/agent/name', '/agent/version', '/model', '/model/id', '/model/provider'],
  ...['/input', '/input/prompt_hash', '/policy', '/policy/pack_hash', '/git', '/git/commit_sha'],
  ...['/tools_invoked/0/name', '/tools_invoked/0/count'],
];
const texts = [
  ...['/agent/name', '/agent/version', '/model/id', '/model/provider', '/tools_invoked/0/name'],
  ...['/input/context_files/0', '/git/files_changed/0'],
];
const formed = ['/input/prompt_hash', '/policy/pack_hash', '/git/commit_sha'];
const review = ['/human_review/reviewer', '/human_review/reviewed_at'];
const counts = [
  ...['/model/max_tokens', '/input/context_token_count', '/policy/rules_evaluated', '/policy/rules_violated'],
  ...['/tools_invoked/0/count', '/human_review/review_duration_seconds', '/git/lines_added', '/git/lines_removed'],
];
const optional = [
  ...['/model/temperature', '/model/max_tokens', '/input/context_files', '/input/context_token_count'],
  ...['/policy/rules_evaluated', '/policy/rules_violated', '/tools_invoked', '/tools_invoked/0/exit_code'],
  ...['/human_review', '/human_review/reviewer', '/human_review/reviewed_at', '/human_review/approved'],
  ...['/human_review/review_duration_seconds', '/git/files_changed', '/git/lines_added', '/git/lines_removed'],
];

describe('parseAgentRun', () => {
  it('accepts what is required alone, and everything of contract §2.3', () => {
    expect(parseAgentRun(smallest)).toStrictEqual({ ok: true, value: smallest });
    expect(parseAgentRun(full)).toStrictEqual({ ok: true, value: full });
  });

  it.each(required)('requires %s', (path) => {
    expect(issuesOf(changed(path, undefined))).toEqual([`${path} agent_run.field_missing`]);
  });

  it.each(optional)('does not require %s', (path) => {
    expect(issuesOf(changed(path, undefined))).toEqual([]);
  });

  it.each([...required, ...optional])('refuses null for %s', (path) => {
    expect(issuesOf(changed(path, null))).toEqual([`${path} agent_run.field_null`]);
  });

  it.each([...texts, ...formed, ...review])('accepts only text with something in it for %s', (path) => {
    expect(issuesOf(changed(path, 1))).toEqual([`${path} agent_run.field_type`]);
    expect(issuesOf(changed(path, ' '))).toEqual([`${path} agent_run.field_empty`]);
  });

  it.each([...formed, ...review])('refuses text of another form for %s', (path) => {
    for (const value of ['x', `SHA256:${'a'.repeat(64)}`, `sha256:${'A'.repeat(64)}`, 'a'.repeat(63)]) {
      expect(issuesOf(changed(path, value))).toEqual([`${path} agent_run.field_invalid`]);
    }
  });

  it.each(counts)('accepts only an integer of 0 or more for %s', (path) => {
    expect(issuesOf(changed(path, 0))).toEqual([]);
    expect(issuesOf(changed(path, -1))).toEqual([`${path} agent_run.field_invalid`]);
    expect(issuesOf(changed(path, 1.5))).toEqual([`${path} agent_run.field_type`]);
    expect(issuesOf(changed(path, '1'))).toEqual([`${path} agent_run.field_type`]);
  });

  it.each([
    ['/model/temperature', '0.2'],
    ['/tools_invoked', {}],
    ['/tools_invoked/0', 'bash'],
    ['/tools_invoked/0/exit_code', 0.5],
    ['/input/context_files', 'src/a.ts'],
    ['/git/files_changed', { 0: 'a' }],
    ['/human_review', true],
    ['/human_review/approved', 'yes'],
    ['/agent', 'code-writer'],
    ['/model', []],
  ])('refuses the wrong type for %s', (path, value) => {
    expect(issuesOf(changed(path, value))).toEqual([`${path} agent_run.field_type`]);
  });

  it('accepts a commit of a SHA-256 repository', () => {
    expect(issuesOf(changed('/git/commit_sha', 'b'.repeat(64)))).toEqual([]);
  });

  it('keeps members that it does not know', () => {
    const extended = { ...smallest, vendor: { a: null } };
    expect(parseAgentRun(extended)).toStrictEqual({ ok: true, value: extended });
  });

  it('reports every issue at once', () => {
    expect(issuesOf({ agent: { name: '' }, model: null, input: {}, policy: 1 })).toEqual([
      '/agent/name agent_run.field_empty',
      '/agent/version agent_run.field_missing',
      '/model agent_run.field_null',
      '/input/prompt_hash agent_run.field_missing',
      '/policy agent_run.field_type',
      '/git agent_run.field_missing',
    ]);
    expect(parseAgentRun('text')).toMatchObject({ issues: [{ path: '', source: 'contract §2.3' }] });
  });
});

describe('createAgentRunStatement', () => {
  it('writes what the parsers read', () => {
    const statement = createAgentRunStatement({ subjects, predicate: full });
    expect(statement.predicateType).toBe('https://colophon.example/predicates/agent-run/v1');
    const parsed = parseStatement(new TextEncoder().encode(JSON.stringify(statement)));
    expect(parsed).toStrictEqual({ ok: true, value: statement });
    expect(parsed.ok && parseAgentRun(parsed.value.predicate)).toStrictEqual({ ok: true, value: full });
  });

  it('takes another base', () => {
    const statement = createAgentRunStatement({ subjects, predicate: smallest, predicateBase: 'https://a.example/p' });
    expect(statement.predicateType).toBe('https://a.example/p/agent-run/v1');
  });

  it('throws TypeError for a predicate that would not be read back', () => {
    const predicate = { ...smallest, git: { commit_sha: 'main' } };
    expect(() => createAgentRunStatement({ subjects, predicate })).toThrow(
      new TypeError('/git/commit_sha: agent_run.field_invalid'),
    );
  });
});
