import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { runLine } from './command-line.ts';

/** What `config check` warns of, for a caller with these conditions. */
async function warningsFor(kind: string, conditions: string): Promise<{ exitCode: number; warnings: string[] }> {
  const file = join(temporaryFolder(onTestFinished), 'colophon.yaml');
  writeFileSync(
    file,
    `issuer: http://localhost:7080
listen: { address: localhost, port: 7080 }
data: data
callers:
  - name: mentions
    kind: ${kind}
    oidc:
      issuer: ${kind === 'github' ? 'https://token.actions.githubusercontent.com' : 'https://gitlab.com'}
      audience: http://localhost:7080
      where: { ${conditions} }
    may: { agents: [answerer] }
agents: [{ name: answerer }]
`,
  );
  const { exitCode, stdout } = await runLine(['config', 'check', file, '--output', 'json']);
  return { exitCode, warnings: JSON.parse(stdout).warnings };
}

const GITHUB = 'repository_id: "42", job_workflow_ref: acme/ci/.github/workflows/mention.yml@refs/heads/main';
const GITLAB = 'project_id: "42", ref_protected: "true"';

test.each([
  ['github', GITHUB, 'event_name: [push, issue_comment, merge_group]', ['mentions lists issue_comment: whoever']],
  ['github', GITHUB, '/event_name: sponsorship', ['mentions lists sponsorship: who can cause this event is not known']],
  ['github', GITHUB, 'event_name: [fork, watch]', ['mentions lists fork: whoever', 'mentions lists watch: whoever']],
  ['gitlab', GITLAB, 'pipeline_source: [web, trigger]', ['mentions lists trigger: another program']],
])('config check says what a caller of %s opens whose where has %s, %s', async (kind, pins, listed, expected) => {
  const { exitCode, warnings } = await warningsFor(kind, `${pins}, ${listed}`);
  expect(exitCode).toBe(0);
  const told = warnings.filter((warning) => warning.startsWith('mentions'));
  expect(told).toEqual(expected.map((beginning) => expect.stringContaining(beginning)));
});

test.each([
  ['github', `${GITHUB}, event_name: [push, pull_request]`],
  ['github', GITHUB],
  ['gitlab', GITLAB],
])('config check says nothing of events of the project alone: %s', async (kind, conditions) => {
  const { warnings } = await warningsFor(kind, conditions);
  expect(warnings.filter((warning) => warning.startsWith('mentions'))).toEqual([]);
});

test('the worked case of docs/ci-recipes.md is a caller that config check takes, and it says what the caller opens', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/ci-recipes.md'), 'utf8');
  const entry = /```yaml caller\n(.*?)```/s.exec(page)?.[1] ?? '';
  const file = join(temporaryFolder(onTestFinished), 'colophon.yaml');
  const head = 'listen: { address: 127.0.0.1, port: 7080, trustedProxies: [10.0.3.7] }\ndata: data\ncallers:\n';
  writeFileSync(file, `issuer: https://agents.example.com\n${head}${entry}agents: [{ name: answerer }]\n`);
  const { exitCode, stdout } = await runLine(['config', 'check', file, '--output', 'json']);
  expect(exitCode, stdout).toBe(0);
  expect(JSON.parse(stdout).warnings).toContainEqual(
    expect.stringMatching(/^webshop-mentions lists issue_comment: whoever can see the repository .*text/),
  );
});
