// What cannot all be true, of signers that a policy names, is counted by every verdict alike. What only differs is shown.
import { agentRunType } from '@colophon/records';
import { attestImage, RegistryClient } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { foreignSigner } from './foreign-signer.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let image: string;
let policy: string;

const by = (name: string, commit = COMMIT) => ['--reviewer', `${name}@example.com`, '--commit-sha', commit];
const MERGED = 'd'.repeat(40);

/** Attaches a run that the agent's own token signed, by a program that asks nothing about what it signs. */
async function attestForeign(agent_name: string, predicate: object): Promise<void> {
  const client = new RegistryClient();
  const [name = '', digest = ''] = image.split('@');
  const place = { registry: here.registry, repository: name.slice(here.registry.length + 1) };
  const context = {
    ...{ agent_name, agent_version: '2.4.1', model_id: 'large-model-2026-05-14', commit_sha: COMMIT },
    ...{ prompt_hash: '5a'.repeat(32), policy_pack_hash: 'c3'.repeat(32), human_reviewer: 'alice@example.com' },
  };
  await attestImage({
    client,
    image: await client.resolve({ ...place, digest }),
    signer: foreignSigner(here.url, context),
    format: 'bundle',
    attestation: { predicateType: agentRunType(), predicate },
    now: () => new Date(),
  });
}

/** What both verdicts say under a policy: the first line, what refuses, what warns, and both counts. */
async function said(...more: string[]) {
  const file = here.file('policy.yaml', `${policy}${more.join('\n')}\n`);
  const { stdout } = await here.run('admit', image, '--policy', file);
  const admitted = await here.run('admit', image, '--policy', file, '-o', 'json');
  const explained = documentOf(await here.run('explain', image, '--policy', file, '-o', 'json'));
  const { reasons, warnings, verdicts } = documentOf(admitted);
  const counts = (one: { contradictions: readonly unknown[]; differences: readonly unknown[] }) => ({
    contradictions: one.contradictions.length,
    differences: one.differences.length,
  });
  expect(counts(explained)).toEqual(counts(verdicts[0]));
  const codes = (list: ReadonlyArray<{ code: string }>) => list.map(({ code }) => code);
  return {
    line: stdout.split('\n')[0],
    exitCode: admitted.exitCode,
    reasons: codes(reasons),
    warnings: codes(warnings),
    ...counts(explained),
    sentence: explained.sentence as string,
  };
}

beforeAll(async () => {
  here = await install(cleanup);
  policy = policyText(here.url, here.registry);
  image = await here.push('webshop');
  await here.document('sign', ...CONTEXT, image);
  const run = here.file('run.json', AGENT_RUN);
  await here.document('attest', '--type', 'agent-run', '--predicate', run, ...CONTEXT, image);
  await here.document('review', 'approve', image, ...by('alice'), '--duration', '12');
});
test('other turns, commits and durations differ, and never refuse', async () => {
  const [, , ...rest] = CONTEXT;
  const turn = rest.map((word) => (word === '5a'.repeat(32) ? 'b7'.repeat(32) : word));
  await here.document('sign', '--agent-name', 'code-writer', ...turn, image);
  await here.document('review', 'approve', image, ...by('bob', MERGED));
  const found = await said('contradictions: refuse');
  expect(found).toMatchObject({ exitCode: 0, reasons: [], warnings: [], contradictions: 0, differences: 3 });
  expect(found.line).toBe(`admitted  ${image}`);
  expect(found.sentence).toContain('3 differences');
});

test('what signers that no rule names say changes neither count', async () => {
  const { sentence: _, ...before } = await said('contradictions: refuse');
  await attestForeign('stranger', {
    ...AGENT_RUN,
    agent: { name: 'stranger', version: '1' },
    model: { id: 'x', provider: 'y' },
  });
  await here.document(
    'sign',
    '--agent-name',
    'somebody',
    ...CONTEXT.slice(2).map((word) => (word === COMMIT ? MERGED : word)),
    image,
  );
  const { sentence: __, ...after } = await said('contradictions: refuse');
  expect(after).toEqual(before);
});

test('a run against its certificate is counted in the line of the verdict, and refuses where the policy says so', async () => {
  await attestForeign('code-writer', { ...AGENT_RUN, model: { id: 'another-model', provider: 'anthropic' } });
  const warned = await said();
  expect(warned).toMatchObject({
    exitCode: 0,
    reasons: [],
    warnings: ['admission.contradiction_seen'],
    contradictions: 1,
  });
  expect(warned.line).toBe(`admitted  ${image}, 1 contradiction`);
  expect(warned.sentence).toMatch(/^admitted by [^,]*: .*; 1 contradiction; /);
  expect(await said('contradictions: warn')).toEqual(warned);
  expect(await said('contradictions: refuse')).toMatchObject({
    exitCode: 20,
    reasons: ['admission.contradiction'],
    warnings: [],
  });
  expect(await said('contradictions: refuse', 'mode: audit')).toMatchObject({
    exitCode: 0,
    warnings: ['admission.contradiction'],
  });
});
