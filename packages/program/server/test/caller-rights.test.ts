import { type ForeignIssuer, SIX_FIELDS } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  type Answer,
  type Configuration,
  foreignIssuer,
  githubCaller,
  jobClaims,
  type RunningIssuer,
  runIssuer,
  SHA,
  WORKFLOW,
} from './running-issuer.ts';

const undo: Array<() => void | Promise<void>> = [];
const cleanup = (step: () => void | Promise<void>) => void undo.push(step);

const PACK = `sha256:${'d4'.repeat(32)}`;
const OTHERS = 'payroll-agent';

let issuer: RunningIssuer;
let forge: ForeignIssuer;
let key: string;

const AGENTS = [
  { name: 'code-writer', versions: ['1.*'] },
  { name: OTHERS },
  { name: 'sleeping', state: 'suspended' },
  { name: 'gone', state: 'retired' },
];

beforeAll(async () => {
  forge = await foreignIssuer(cleanup);
  issuer = await runIssuer(cleanup, (url) => ({
    tokens: { algorithm: 'ES256', audiences: ['sigstore', 'staging'] },
    callers: [
      {
        name: 'builder',
        apiKey: true,
        may: {
          agents: ['code-writer', 'sleeping', 'gone', 'nobody-*'],
          models: ['large-*'],
          policyPacks: ['default'],
          repositories: ['acme/*', 'https://github.com/acme/*'],
          audiences: ['sigstore'],
          purposes: ['artifact'],
        },
      },
      { name: 'payroll', apiKey: true, may: { agents: [OTHERS] } },
      githubCaller(forge.url, url, { oidc: { where: { repository_id: '42', job_workflow_ref: WORKFLOW } } }),
      githubCaller(forge.url, url, {
        name: 'second',
        oidc: { where: { repository_id: '42', job_workflow_ref: WORKFLOW, environment: 'production' } },
      }),
    ],
    agents: AGENTS,
    models: [{ id: 'large-*', provider: 'vendor' }],
    policyPacks: [
      { name: 'default', hash: SIX_FIELDS.policy_pack_hash },
      { name: 'lax', hash: PACK },
    ],
  }));
  key = await issuer.createKey('builder');
});

afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

/** A refusal that says nothing of what others may do, and leaves the ledger as it is. */
async function refused(asked: Promise<Answer>): Promise<Answer> {
  const before = issuer.tokens().length;
  const answer = await asked;
  expect(answer.claims).toBeUndefined();
  expect(issuer.tokens()).toHaveLength(before);
  expect(answer.body).not.toMatch(new RegExp(`payroll|lax|second|staging|${OTHERS}`));
  expect(issuer.lines().at(-1)).toMatchObject({ msg: 'token refused', code: answer.code });
  return answer;
}

const withKey = (changes: object) => issuer.ask({ bearer: key, body: { ...SIX_FIELDS, ...changes } });
const job = (claims: object, body: object = {}) =>
  issuer.ask({ bearer: forge.sign(jobClaims(issuer.url, claims)), body: { ...SIX_FIELDS, ...body } });

describe('a caller that asks for what is another’s', () => {
  it('gets what is its own', async () => {
    expect((await withKey({ repo: 'acme/shop', audience: 'sigstore' })).status).toBe(200);
  });

  it.each<[string, object, string, string]>([
    ['agent', { agent_name: OTHERS }, 'agent_not_allowed', 'agent_name'],
    ['agent in another case', { agent_name: OTHERS.toUpperCase() }, 'agent_not_allowed', 'agent_name'],
    ['agent that nobody has', { agent_name: 'invented' }, 'agent_not_allowed', 'agent_name'],
    ['agent with a suffix', { agent_name: 'code-writer-2' }, 'agent_not_allowed', 'agent_name'],
    ['model', { model_id: 'small-model' }, 'model_not_allowed', 'model_id'],
    ['model with a prefix', { model_id: 'x/large-model' }, 'model_not_allowed', 'model_id'],
    ['policy pack', { policy_pack_hash: PACK }, 'policy_pack_not_allowed', 'policy_pack_hash'],
    ['unknown policy pack', { policy_pack_hash: 'e'.repeat(64) }, 'policy_pack_not_allowed', 'policy_pack_hash'],
    ['repository', { repo: 'evil/shop' }, 'repository_not_allowed', 'repo'],
    ['repository with a suffix', { repo: 'acme-evil/shop' }, 'repository_not_allowed', 'repo'],
    ['repository in another case', { repo: 'ACME/shop' }, 'repository_not_allowed', 'repo'],
    ['host', { repo: 'acme/shop', repo_uri: 'https://evil.example/acme/shop' }, 'repository_not_allowed', 'repo_uri'],
    ['host alone', { repo_uri: 'https://github.com.evil.example/acme/shop' }, 'repository_not_allowed', 'repo_uri'],
    ['audience', { audience: 'staging' }, 'audience_not_allowed', 'audience'],
    ['purpose', { purpose: 'commit', tree_sha: SHA, human_reviewer: undefined }, 'purpose_not_allowed', 'purpose'],
  ])('is told the rule that is missing: %s', async (_what, changes, code, field) => {
    const answer = await refused(withKey(changes));
    expect(answer).toMatchObject({ status: 403, code: `caller.${code}` });
    expect(JSON.parse(answer.body)).toMatchObject({ field, error: 'unauthorized_client' });
  });

  it('gets no token of a reviewer', async () => {
    const body = { purpose: 'review', human_reviewer: 'alice@example.com' };
    expect((await refused(issuer.ask({ bearer: key, body }))).code).toBe('caller.purpose_not_allowed');
  });

  it('is told nothing about a name that is not its own: whether it was used, by whom, in which spelling', async () => {
    const others = await issuer.createKey('payroll');
    expect((await issuer.ask({ bearer: others, body: { ...SIX_FIELDS, agent_name: OTHERS } })).status).toBe(200);
    for (const agent_name of [OTHERS, OTHERS.toUpperCase(), 'never-used']) {
      expect((await refused(withKey({ agent_name }))).code).toBe('caller.agent_not_allowed');
    }
  });
});

describe('an agent', () => {
  it.each<[string, object, string]>([
    ['that is suspended', { agent_name: 'sleeping' }, 'issuance.agent_inactive'],
    ['that is retired', { agent_name: 'gone' }, 'issuance.agent_inactive'],
    ['that is not registered', { agent_name: 'nobody-1' }, 'issuance.agent_unregistered'],
    ['of a version that is not registered', { agent_version: '2.0.0' }, 'issuance.agent_version_unregistered'],
    ['of a version with a prefix', { agent_version: '01.0' }, 'issuance.agent_version_unregistered'],
    ['of another provider', { model_provider: 'other' }, 'issuance.claim_contradicted'],
    ['for an audience that is not served', { audience: 'vault' }, 'issuance.audience_not_allowed'],
  ])('%s gets no token', async (_what, changes, code) => {
    expect((await refused(withKey(changes))).code).toBe(code);
  });
});

describe('a job of a forge', () => {
  it('has what its token says, and no more', async () => {
    const { claims } = await job({});
    expect(claims).toMatchObject({ repo: 'acme/shop', commit_sha: SHA, trigger: 'push' });
    expect(claims!['claim_sources']).toContain('repo=caller-token');
    expect(claims!['claim_sources']).toContain('model_id=declared');
  });

  it.each<[string, object]>([
    ['in a repository that got the name later', { repository_id: '99' }],
    ['in another repository with that id as a prefix', { repository_id: '421' }],
    ['with half the id', { repository_id: '4' }],
    ['of the same owner', { repository: 'acme/other', repository_id: '43' }],
    ['of a workflow on another branch', { job_workflow_ref: WORKFLOW.replace('main', 'evil') }],
    ['of a workflow whose name begins so', { job_workflow_ref: `${WORKFLOW}-evil` }],
    ['of a workflow in a fork', { job_workflow_ref: WORKFLOW.replace('acme', 'evil') }],
    ['that has a list of ids', { repository_id: ['42'] }],
    ['that has no id', { repository_id: undefined }],
  ])('%s is nobody’s', async (_what, claims) => {
    expect((await refused(job(claims))).code).toBe('caller.unknown');
  });

  it.each(['pull_request_target', 'workflow_run', 'issue_comment'])('by %s is refused', async (event_name) => {
    expect((await refused(job({ event_name }))).code).toBe('caller.event_refused');
  });

  it('of a fork’s pull request has the fork’s commit and its event, so that a policy can refuse it', async () => {
    const { claims } = await job({ event_name: 'pull_request', ref: 'refs/pull/7/merge' });
    expect(claims).toMatchObject({ trigger: 'pull_request', commit_sha: SHA });
  });

  it('that two callers could be is nobody’s', async () => {
    expect((await refused(job({ environment: 'production' }))).code).toBe('caller.ambiguous');
  });

  it.each<[string, object]>([
    ['another repository', { repo: 'acme/other' }],
    ['another commit', { commit_sha: 'a'.repeat(40) }],
    ['an address of another repository', { repo_uri: 'https://github.com/acme/other' }],
  ])('that asks for %s than its token’s is refused', async (_what, body) => {
    expect((await refused(job({}, body))).code).toBe('issuance.claim_contradicted');
  });

  it('may say itself what its token says', async () => {
    expect((await job({}, { repo: 'acme/shop', repo_uri: undefined, commit_sha: SHA })).status).toBe(200);
  });

  it('whose caller was revoked gets nothing, though its token is good', async () => {
    await issuer.desk((desk) => desk.revokeCaller('actions'));
    expect((await refused(job({}))).code).toBe('caller.revoked');
  });
});

/** An issuer whose agents are `agents`, and that then gets others. */
async function withAgents(agents: readonly Configuration[]) {
  const own = await runIssuer(onTestFinished, () => ({ agents }));
  const bearer = await own.createKey('builder');
  return {
    ask: (changes: object = {}) => own.ask({ bearer, body: { ...SIX_FIELDS, ...changes } }),
    rename: async (next: readonly Configuration[], callers = own.configuration['callers']) => {
      const seen = own.lines().length;
      own.write({ ...own.configuration, agents: next, callers });
      await expect
        .poll(() =>
          own
            .lines()
            .slice(seen)
            .map(({ msg }) => msg),
        )
        .toContain('the configuration was changed');
    },
  };
}

describe('an agent’s name', () => {
  const name = SIX_FIELDS.agent_name;

  it('never goes to an agent with another id, not after it was removed either', async () => {
    const { ask, rename } = await withAgents([{ name, id: 'agent-1' }]);
    expect((await ask()).claims).toMatchObject({ agent_id: 'agent-1' });
    await rename([{ name, id: 'agent-2' }]);
    expect((await ask()).code).toBe('issuer.agent_id_changed');
    await rename([{ name: 'other' }], [{ name: 'builder', apiKey: true, may: { agents: ['*'] } }]);
    expect((await ask()).code).toBe('issuance.agent_unregistered');
    await rename([{ name, id: 'agent-2' }]);
    expect((await ask()).code).toBe('issuer.agent_id_changed');
    await rename([{ name, id: 'agent-1' }]);
    expect((await ask()).claims).toMatchObject({ agent_id: 'agent-1' });
  });

  it('with the identifier of another agent is refused, and takes nobody’s tokens away', async () => {
    const { ask, rename } = await withAgents([{ name, id: 'agent-1' }]);
    expect((await ask()).status).toBe(200);
    const everybody = [{ name: 'builder', apiKey: true, may: { agents: ['*'] } }];
    await rename([{ name: 'renamed', id: 'agent-1' }, { name: 'new-one' }], everybody);
    expect(await ask({ agent_name: 'renamed' })).toMatchObject({ status: 403, code: 'issuer.agent_id_changed' });
    expect((await ask({ agent_name: 'new-one' })).status).toBe(200);
  });

  it('never goes to one whose name differs by case alone', async () => {
    const { ask, rename } = await withAgents([{ name }]);
    expect((await ask()).status).toBe(200);
    await rename([{ name: name.toUpperCase() }], [{ name: 'builder', apiKey: true, may: { agents: ['*'] } }]);
    expect((await ask({ agent_name: name.toUpperCase() })).code).toBe('issuer.agent_name_case');
  });
});
