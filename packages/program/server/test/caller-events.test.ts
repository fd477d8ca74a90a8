import { type ForeignIssuer, SIX_FIELDS } from '@colophon/testkit';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Configuration,
  foreignIssuer,
  githubCaller,
  jobClaims,
  type RunningIssuer,
  runIssuer,
  WORKFLOW,
} from './running-issuer.ts';

const where = { repository_id: '42', job_workflow_ref: WORKFLOW };
const ofMentions = { repository_id: '42', job_workflow_ref: WORKFLOW.replace('agent', 'mention') };

const cleanups: Array<() => void | Promise<void>> = [];
let issuer: RunningIssuer;
let github: ForeignIssuer;
let gitlab: ForeignIssuer;

beforeAll(async () => {
  const cleanup = (undo: () => void | Promise<void>) => void cleanups.push(undo);
  github = await foreignIssuer(cleanup);
  gitlab = await foreignIssuer(cleanup);
  issuer = await runIssuer(cleanup, (url) => ({
    callers: [
      githubCaller(github.url, url, { oidc: { where } }),
      githubCaller(github.url, url, {
        name: 'mentions',
        oidc: { where: { ...where, event_name: ['issue_comment', 'discussion_comment'] } },
      }),
      githubCaller(github.url, url, {
        name: 'of-mentions',
        oidc: { where: { ...ofMentions, event_name: 'issue_comment' } },
      }),
      gitlabCaller(gitlab.url, url, 'pipelines', { project_id: '42', ref_protected: 'true' }),
      gitlabCaller(gitlab.url, url, 'triggered', {
        project_id: '43',
        ref_protected: 'true',
        pipeline_source: 'trigger',
      }),
    ],
  }));
  return async () => {
    for (const undo of cleanups.reverse()) await undo();
  };
});

function gitlabCaller(url: string, audience: string, name: string, conditions: Configuration): Configuration {
  return { name, kind: 'gitlab', oidc: { issuer: url, audience, where: conditions }, may: { agents: ['code-writer'] } };
}

const asked = (bearer: string): Promise<Answer> =>
  issuer.ask({ bearer, body: { ...SIX_FIELDS, agent_name: 'code-writer' } });
const codeOf = ({ code, status }: Answer) => (status === 200 ? 'issued' : code);
const byEvent = async (event_name: unknown, changes: object = {}) =>
  asked(github.sign(jobClaims(issuer.url, { event_name, ...changes }), {}));
const bySource = async (pipeline_source: unknown, changes: object = {}) => {
  const { jti, iat, nbf, exp, aud } = jobClaims(issuer.url);
  const claims = { jti, iat, nbf, exp, aud, project_id: '42', ref_protected: 'true', pipeline_source, ...changes };
  return asked(gitlab.sign({ sub: 'project_path:acme/shop:ref_type:branch:ref:main', ...claims }, {}));
};

/** Every webhook event and every trigger of a workflow that GitHub documented by November 2026, without the six. */
const DOCUMENTED = `branch_protection_configuration branch_protection_rule check_run check_suite code_scanning_alert
  commit_comment content_reference create custom_property custom_property_values delete dependabot_alert deploy_key
  deployment deployment_protection_rule deployment_review deployment_status discussion discussion_comment dynamic fork
  github_app_authorization gollum image_version installation installation_repositories installation_target
  issue_comment issue_dependencies issues label marketplace_purchase member membership meta milestone org_block
  organization package page_build personal_access_token_request ping project project_card project_column projects_v2
  projects_v2_item projects_v2_status_update public pull_request_comment pull_request_review
  pull_request_review_comment pull_request_review_thread pull_request_target registry_package repository
  repository_advisory repository_dispatch repository_import repository_ruleset repository_vulnerability_alert
  secret_scanning_alert secret_scanning_alert_location secret_scanning_scan security_advisory security_and_analysis
  sponsorship star status sub_issues team team_add watch workflow_call workflow_job workflow_run`
  .split(/\s+/)
  .filter((name) => !['issue_comment', 'discussion_comment'].includes(name));

/** Values of \`CI_PIPELINE_SOURCE\` in GitLab's documents and source, without the three and merge requests. */
const SOURCES = `api chat container_registry_push duo_workflow external external_pull_request_event ondemand_dast_scan
  ondemand_dast_validation parent_pipeline pipeline pipeline_execution_policy_schedule security_orchestration_policy
  trigger unknown webide`.split(/\s+/);

const OF_THE_PROJECT = ['push', 'schedule', 'workflow_dispatch', 'merge_group', 'release', 'pull_request'];

describe('a job of GitHub whose entry lists no event', () => {
  it.each(OF_THE_PROJECT)('gets a token by %s', async (event) => {
    expect(codeOf(await byEvent(event))).toBe('issued');
  });

  it.each(DOCUMENTED)('is refused by %s, and told the line to add', async (event) => {
    const answer = await byEvent(event);
    expect(codeOf(answer)).toBe('caller.event_refused');
    expect(JSON.stringify(answer.body)).toContain(`event_name: [${event}]`);
  });

  it.each([
    ['no event', undefined],
    ['null', null],
    ['an empty event', ''],
    ['a list', ['push']],
    ['a list of lists', [['push']]],
    ['an object', { push: 'push' }],
    ['a number', 1],
    ['a truth', true],
    ...OF_THE_PROJECT.flatMap((event) =>
      [
        event.toUpperCase(),
        ` ${event}`,
        `${event} `,
        `${event}\n`,
        event.replace(/^./, (c) => c.toUpperCase()),
        `${event},issues`,
        `on.${event}`,
      ].map((text): [string, unknown] => [JSON.stringify(text), text]),
    ),
    ['a name of a prototype', 'constructor'],
    ['another one', '__proto__'],
  ])('is refused by %s', async (_what, event) => {
    expect(codeOf(await byEvent(event))).toBe('caller.event_refused');
  });

  it('is refused by an event that nobody has thought of', async () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[a-z]{2,9}(?:_[a-z]{2,9}){0,3}$/),
      fc.json(),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(name, fc.jsonValue()), async (event) => {
        fc.pre(![...OF_THE_PROJECT, 'issue_comment', 'discussion_comment'].includes(event as string));
        const answer = await byEvent(event);
        // What is no text of a token at all is refused before anybody looks at it.
        expect(['caller.event_refused', 'caller.token_malformed']).toContain(codeOf(answer));
      }),
      { numRuns: 150 },
    );
  });
});

describe('a job of GitHub whose entry lists events', () => {
  it('gets a token by each of them, beside an entry that lists none', async () => {
    expect(codeOf(await byEvent('issue_comment'))).toBe('issued');
    expect(codeOf(await byEvent('discussion_comment'))).toBe('issued');
  });

  it('gets none by others: the list stands instead of the six', async () => {
    const claims = { job_workflow_ref: ofMentions.job_workflow_ref };
    expect(codeOf(await byEvent('issue_comment', claims))).toBe('issued');
    for (const event of [...OF_THE_PROJECT, 'Issue_comment', 'issues', undefined]) {
      expect(codeOf(await byEvent(event, claims)), String(event)).toBe('caller.unknown');
    }
  });
});

describe('a job of GitLab whose entry lists no source', () => {
  it.each(['push', 'schedule', 'web'])('gets a token by %s', async (source) => {
    expect(codeOf(await bySource(source))).toBe('issued');
  });

  it.each(SOURCES)('is refused by %s, and told the line to add', async (source) => {
    const answer = await bySource(source);
    expect(codeOf(answer)).toBe('caller.event_refused');
    expect(JSON.stringify(answer.body)).toContain(`pipeline_source: [${source}]`);
  });

  it.each([undefined, null, '', 'Push', 'push ', ['push'], 7, 'workflow_dispatch', 'release'])(
    'is refused by %j',
    async (source) => {
      expect(codeOf(await bySource(source))).toBe('caller.event_refused');
    },
  );

  it('gets a token for a merge request of the project’s own branches alone', async () => {
    const request = (changes: object) => bySource('merge_request_event', changes).then(codeOf);
    expect(await request({ job_project_id: '42' })).toBe('issued');
    // In a fork’s merge request project_id is the fork’s, and the job runs in another project.
    expect(await request({ job_project_id: '41' })).toBe('caller.event_refused');
    for (const job_project_id of [undefined, null, '', '042', ' 42', ['42'], true]) {
      expect(await request({ job_project_id }), String(job_project_id)).toBe('caller.event_refused');
    }
  });

  it('is let in by a source that its entry lists, and by no other', async () => {
    const listed = (source: string) => bySource(source, { project_id: '43' }).then(codeOf);
    expect(await listed('trigger')).toBe('issued');
    expect(await listed('push')).toBe('caller.unknown');
  });
});
