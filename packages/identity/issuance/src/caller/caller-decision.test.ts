import { describe, expect, it } from 'vitest';
import type { Caller, CallerTokenRule } from './caller.ts';
import { compileCallers } from './caller-book.ts';
import { decideCaller } from './caller-decision.ts';
import { FORGE_CLAIMS } from './forge-claims.ts';

const GITHUB = 'https://token.actions.githubusercontent.com';
const WORKFLOW = 'acme/ci/.github/workflows/agent.yml@refs/heads/main';
const SHA = '8f5a1c0d9e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39';

const github = (
  where: Record<string, readonly string[]> = {},
  more: Partial<CallerTokenRule> = {},
): CallerTokenRule => ({
  kind: 'github',
  issuer: GITHUB,
  where: Object.entries({ repository_id: ['42'], job_workflow_ref: [WORKFLOW], ...where }).map(([name, values]) => ({
    path: [name],
    values,
  })),
  singleUse: true,
  confirms: FORGE_CLAIMS.github,
  ...more,
});

const caller = (name: string, token?: CallerTokenRule): Caller => ({
  name,
  token,
  apiKey: token === undefined,
  may: { agents: ['code-writer'] },
});

const JOB = {
  repository: 'acme/shop',
  repository_id: '42',
  job_workflow_ref: WORKFLOW,
  sha: SHA,
  event_name: 'push',
};

const decide = (claims: object, callers: readonly Caller[] = [caller('actions', github())], issuer = GITHUB) =>
  decideCaller({ kind: 'token', issuer, claims: claims as Record<string, unknown> }, compileCallers(callers));

const codeOf = (decision: ReturnType<typeof decide>) => {
  if (decision.ok) return decision.caller.name;
  expect(decision.message, decision.code).toMatch(/\w/);
  return decision.code;
};

describe('who a caller is', () => {
  it('is said by the conditions that its token meets, and what it confirms comes with it', () => {
    const decision = decide(JOB);
    expect(decision).toMatchObject({
      ok: true,
      caller: { name: 'actions' },
      trigger: 'push',
      evidence: [
        {
          source: 'caller-token',
          claims: { repo: 'acme/shop', repo_uri: 'https://github.com/acme/shop', commit_sha: SHA },
        },
      ],
    });
  });

  it.each([
    ['another repository of the same name', { repository_id: '43' }],
    ['a condition that is only the beginning of the value', { job_workflow_ref: `${WORKFLOW}-evil` }],
    ['a value that is only the beginning of the condition', { job_workflow_ref: WORKFLOW.slice(0, -1) }],
    ['another case', { job_workflow_ref: WORKFLOW.toUpperCase() }],
    ['a list that has the value', { repository_id: ['42'] }],
    ['an object', { repository_id: { 42: '42' } }],
    ['null', { repository_id: null }],
    ['nothing', { repository_id: undefined }],
    ['blanks around the value', { repository_id: ' 42' }],
    ['a fraction', { repository_id: 42.5 }],
  ])('is nobody for %s', (_what, claims) => {
    expect(codeOf(decide({ ...JOB, ...claims }))).toBe('caller.unknown');
  });

  it('has one of the values of a condition, the last one too', () => {
    const callers = [caller('a', github({ event_name: ['pull_request', 'push'] }))];
    expect(codeOf(decide(JOB, callers))).toBe('a');
    expect(codeOf(decide({ ...JOB, event_name: 'schedule' }, callers))).toBe('caller.unknown');
  });

  it('a number is compared as it is written', () => {
    expect(codeOf(decide({ ...JOB, repository_id: 42 }))).toBe('actions');
  });

  it('is nobody for the claims of a prototype', () => {
    const where = { constructor: ['x'] };
    expect(codeOf(decide(JOB, [caller('a', github(where))]))).toBe('caller.unknown');
    expect(codeOf(decide(Object.create(JOB), [caller('a', github())]))).toBe('caller.unknown');
  });

  it('is nobody for the same claims of another issuer', () => {
    expect(codeOf(decide(JOB, undefined, `${GITHUB}/`))).toBe('caller.unknown');
  });

  it('is nobody where it could be two', () => {
    expect(codeOf(decide(JOB, [caller('one', github()), caller('two', github({ event_name: ['push'] }))]))).toBe(
      'caller.ambiguous',
    );
  });

  it('looks into an object by the names on the way', () => {
    const token: CallerTokenRule = {
      kind: 'kubernetes',
      issuer: 'https://kubernetes.default.svc',
      where: [{ path: ['kubernetes.io', 'serviceaccount', 'uid'], values: ['u-1'] }],
      singleUse: false,
      confirms: FORGE_CLAIMS.kubernetes,
    };
    const claims = { 'kubernetes.io': { serviceaccount: { name: 'agent', uid: 'u-1' } } };
    const decision = decide(claims, [caller('pods', token)], token.issuer);
    expect(decision).toMatchObject({ ok: true, evidence: [] });
    expect(decision).not.toHaveProperty('trigger');
    const recreated = { 'kubernetes.io': { serviceaccount: { name: 'agent', uid: 'u-2' } } };
    expect(codeOf(decide(recreated, [caller('pods', token)], token.issuer))).toBe('caller.unknown');
  });

  it('finds one of 10,000 without looking at all', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => caller(`c${i}`, github({ repository_id: [String(i)] })));
    const book = compileCallers(many);
    expect(book.candidates(GITHUB, JOB).map(({ name }) => name)).toEqual(['c42']);
    expect(codeOf(decide(JOB, many))).toBe('c42');
  });

  it('callers without the condition that tells the others apart are found too', () => {
    const byOwner = { ...github(), where: [{ path: ['repository_owner_id'], values: ['7'] }] };
    const callers = [caller('a', github()), caller('b', github({ repository_id: ['43'] })), caller('c', byOwner)];
    expect(codeOf(decide({ ...JOB, repository_id: '99', repository_owner_id: '7' }, callers))).toBe('c');
    expect(codeOf(decide({ ...JOB, repository_owner_id: '7' }, callers))).toBe('caller.ambiguous');
  });
});

describe('events that run with what a stranger wrote', () => {
  it.each(['pull_request_target', 'workflow_run', 'issue_comment'])('%s counts only where it is listed', (event) => {
    const claims = { ...JOB, event_name: event };
    expect(codeOf(decide(claims))).toBe('caller.event_refused');
    expect(codeOf(decide(claims, [caller('a', github({ event_name: ['push'] }))]))).toBe('caller.unknown');
    expect(codeOf(decide(claims, [caller('a', github({ event_name: [event] }))]))).toBe('a');
  });

  it('are GitHub’s: another issuer means something else by the same word', () => {
    const claims = { ...JOB, event_name: 'workflow_run' };
    expect(codeOf(decide(claims, [caller('a', github({}, { kind: 'oidc', confirms: {} }))]))).toBe('a');
  });

  it('may be the reason why a token names no event', () => {
    expect(codeOf(decide({ ...JOB, event_name: undefined }))).toBe('caller.event_refused');
  });
});

describe('API keys', () => {
  const byKey = (name: string, callers: readonly Caller[]) =>
    decideCaller({ kind: 'api-key', caller: name }, compileCallers(callers));

  it('are the caller’s whose they are, and confirm nothing', () => {
    expect(byKey('builder', [caller('builder')])).toMatchObject({ ok: true, evidence: [] });
  });

  it.each([
    ['that is not in the configuration any more', [caller('other')]],
    ['that has no API keys any more', [caller('builder', github())]],
  ])('are nobody’s for a caller %s', (_what, callers) => {
    expect(codeOf(byKey('builder', callers))).toBe('caller.unknown');
  });
});

describe('what a forge’s token confirms', () => {
  const confirmed = (decision: ReturnType<typeof decide>) => decision.ok && decision.evidence[0]?.claims;

  it.each([
    [GITHUB, 'https://github.com/acme/shop'],
    [`${GITHUB}/acme-inc`, 'https://github.com/acme/shop'],
    ['https://token.actions.acme.ghe.com', 'https://acme.ghe.com/acme/shop'],
    ['https://github.acme.example/_services/token', 'https://github.acme.example/acme/shop'],
    ['https://token.actions.githubusercontent.com.evil.example', undefined],
    ['https://evil.example/token.actions.acme.ghe.com', undefined],
  ])('of %s the repository is %s', (issuer, address) => {
    const decision = decide(JOB, [caller('a', github({}, { issuer }))], issuer);
    expect(confirmed(decision)).toEqual({
      repo: 'acme/shop',
      commit_sha: SHA,
      ...(address === undefined ? {} : { repo_uri: address }),
    });
  });

  const gitlab: CallerTokenRule = {
    kind: 'gitlab',
    issuer: 'https://gitlab.example.com',
    where: [{ path: ['project_id'], values: ['22'] }],
    singleUse: false,
    confirms: FORGE_CLAIMS.gitlab,
  };

  it('a project’s address has one slash after its host', () => {
    const issuer = 'https://gitlab.example.com/';
    const decision = decide(
      { project_id: '22', project_path: 'acme/shop', pipeline_source: 'push' },
      [caller('gl', { ...gitlab, issuer })],
      issuer,
    );
    expect(confirmed(decision)).toEqual({ repo: 'acme/shop', repo_uri: 'https://gitlab.example.com/acme/shop' });
  });

  it('of an issuer that is no forge a claim is taken as it is', () => {
    const rule = {
      ...gitlab,
      kind: 'oidc',
      confirms: { repo_uri: ['ci', 'project'], commit_sha: ['ci', 'sha'] },
    } as const;
    const claims = { project_id: '22', ci: { project: 'https://forge.example/acme/shop', sha: SHA } };
    const decision = decide(claims, [caller('any', rule)], rule.issuer);
    expect(confirmed(decision)).toEqual({ repo_uri: 'https://forge.example/acme/shop', commit_sha: SHA });
    const unreadable = decide({ ...claims, ci: { sha: 'main' } }, [caller('any', rule)], rule.issuer);
    // Which claim of the credential that is: `ci` alone would not be found.
    expect(unreadable).toMatchObject({ code: 'caller.claim_unreadable', message: expect.stringContaining('ci.sha') });
  });

  it('a project in nested groups has an address only', () => {
    const job = {
      project_id: '22',
      job_project_id: '22',
      project_path: 'acme/platform/shop',
      sha: SHA,
      pipeline_source: 'merge_request_event',
    };
    expect(decide(job, [caller('gl', gitlab)], gitlab.issuer)).toMatchObject({
      trigger: 'merge_request_event',
      evidence: [{ claims: { repo_uri: 'https://gitlab.example.com/acme/platform/shop', commit_sha: SHA } }],
    });
  });

  it.each([
    ['repository', 'acme/shop with words'],
    ['sha', 'main'],
    ['sha', SHA.slice(1)],
    ['event_name', 'unknown'],
  ])('a %s of “%s” is refused, as it could not be held against a request', (claim, value) => {
    const callers = [caller('actions', github({ event_name: ['push', 'unknown'] }))];
    expect(codeOf(decide({ ...JOB, [claim]: value }, callers))).toBe('caller.claim_unreadable');
  });

  it('only what the entry names, where it names something', () => {
    const rule = github({}, { confirms: { repo: ['repository'], trigger: ['event_name'] } });
    const decision = decide(JOB, [caller('a', rule)]);
    expect(confirmed(decision)).toEqual({ repo: 'acme/shop' });
  });
});
