import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLine } from './command-line.ts';
import { type Installation, install, policyText } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let policy: string;

beforeAll(async () => {
  here = await install(cleanup);
  policy = here.file('policy.yaml', policyText(here.url, here.registry));
});
const generate = (to: string, folder: string) => [
  ...['admission', 'generate', '--policy', policy, '--to', to],
  ...['--out', join(here.folder, folder)],
];
const written = (folder: string, name: string) => readFileSync(join(here.folder, folder, name), 'utf8');

test('a person sees the files, and first what lets more images pass', async () => {
  const { exitCode, stdout } = await here.run(...generate('cosign', 'seen'));
  expect(exitCode).toBe(0);
  for (const name of ['trusted_root.json', 'review.rego', 'verify.sh']) expect(stdout).toContain(name);
  const [admits, refuses] = [stdout.indexOf('cosign may admit'), stdout.indexOf('cosign may refuse')];
  expect(admits).toBeGreaterThan(0);
  expect(refuses).toBeGreaterThan(admits);
  expect(stdout.slice(admits, refuses)).toContain('reviewer');
});

test('what is generated holds the list too, and the trusted root as it is', async () => {
  const { not_expressible } = await here.document(...generate('cosign', 'listed'));
  const script = written('listed', 'verify.sh');
  for (const { key, what } of not_expressible) expect(script).toContain(`# - ${key}: ${what}\n`);
  const root = readFileSync(join(here.dataDir, 'trust', 'trusted_root.json'), 'utf8');
  expect(written('listed', 'trusted_root.json')).toBe(root);
});

test('the addresses of the services are those of the trusted root', async () => {
  await here.document(...generate('policy-controller', 'cluster'));
  expect(written('cluster', 'cluster-image-policy.yaml')).toContain(`url: "${here.url}"`);
  expect(written('cluster', 'trust-root.yaml')).toContain(`baseURL: "${here.url}"`);
});

test('what somebody else wrote is replaced only where that is said', async () => {
  await here.document(...generate('cosign', 'taken'));
  await here.document(...generate('cosign', 'taken'));
  here.file('taken/verify.sh', '#!/bin/sh\n');
  expect(await here.refusal(...generate('cosign', 'taken'))).toMatchObject({ exitCode: 1, code: 'cli.file_taken' });
  expect(written('taken', 'verify.sh')).toBe('#!/bin/sh\n');
  await here.document(...generate('cosign', 'taken'), '--replace');
  expect(written('taken', 'verify.sh')).toContain('cosign verify');
});

test('of several trusted roots one has to be named', async () => {
  const root = join(here.dataDir, 'trust', 'trusted_root.json');
  const configuration = here.file(
    'colophon.yaml',
    `issuer: ${here.url}\ntrust: { roots: [{ name: a, file: ${root} }, { name: b, file: ${root} }] }\n`,
  );
  const line = [...generate('cosign', 'several'), '--config', configuration, '--output', 'json'];
  const { exitCode, stdout } = await runLine(line, here.env);
  expect([exitCode, JSON.parse(stdout).error.code]).toEqual([1, 'cli.usage']);
  expect((await runLine([...line, '--trusted-root', root], here.env)).exitCode).toBe(0);
});

test.each(['spec', 'other'])('no policy is made up: a file that is none is refused (%s)', async (word) => {
  const broken = here.file(`${word}.yaml`, `version: 1\nprofile: ${word}\n`);
  const line = ['admission', 'generate', '--policy', broken, '--to', 'cosign', '--out', join(here.folder, word)];
  expect(await here.refusal(...line)).toMatchObject({ exitCode: 1, code: 'cli.policy_invalid' });
});

test.each(['cosign', 'policy-controller'])('images without signatures have no policy elsewhere: %s', async (to) => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const legacy = here.file(
    'legacy.yaml',
    `version: 1\nimages: [${here.registry}/**]\nlegacy: { digests: ["${digest}"], owner: ops, reason: vendor }\n`,
  );
  const folder = join(here.folder, `legacy-${to}`);
  const line = ['admission', 'generate', '--policy', legacy, '--to', to, '--out', folder];
  expect(await here.refusal(...line)).toMatchObject({
    exitCode: 20,
    code: 'generate.not_expressible',
    found: 'legacy',
  });
  expect(existsSync(folder)).toBe(false);
});
