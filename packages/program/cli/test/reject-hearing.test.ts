import { cleanupAt } from '@colophon/testkit';
// Whoever rejects is told which policies that the program knows hear it, and loudly where none does.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { documentOf } from './command-line.ts';
import { COMMIT, CONTEXT, type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let configuration: string;

vi.setConfig({ testTimeout: 120_000 });
beforeAll(async () => {
  here = await install(cleanup);
  configuration = here.file('colophon.yaml', 'policies: [alices.yaml, elsewhere.yaml]\n');
  here.file('alices.yaml', policyOf('alices', `${here.registry}/webshop*`));
  here.file('elsewhere.yaml', policyOf('elsewhere', 'registry.example/other', 'negatives: none\n'));
});
const policyOf = (name: string, images: string, more = '') => `version: 1
name: ${name}
images: ["${images}"]
agent: { issuer: ${here.url}, subject: agent:code-writer }
review: { issuer: ${here.url}, subject: "reviewer:Alice@Example.com" }
${more}`;
const isHeard = (...names: string[]) =>
  expect.arrayContaining(names.map((policy) => expect.objectContaining({ policy })));

async function reject(target: string[], reviewer: string, config = configuration) {
  const flags = ['--reviewer', reviewer, '--commit-sha', COMMIT, '--config', config];
  if (target.length === 0) flags.push('--bundle', `${here.folder}/rejection.json`);
  const ran = await here.run('review', 'reject', ...target, ...flags, '-o', 'json');
  expect(ran.exitCode, ran.stderr).toBe(0);
  return { stderr: ran.stderr, policies: (documentOf(ran) as { policies?: unknown }).policies };
}

test('of an image the policy that covers it hears whom it names in another spelling, as admit then does', async () => {
  const image = await here.push('webshop-heard');
  await here.document('sign', ...CONTEXT, image);
  const { stderr, policies } = await reject([image], 'ALICE@example.com');
  expect(policies).toEqual([{ file: `${here.folder}/alices.yaml`, policy: 'alices', hears: true }]);
  expect(stderr).toContain('heard by the policy alices');
  expect(stderr).not.toContain('warning');
  const admitted = await here.run('admit', image, '--policy', `${here.folder}/alices.yaml`, '-o', 'json');
  const { reasons } = documentOf(admitted) as { reasons: Array<{ code: string }> };
  expect(reasons.map(({ code }) => code)).toContain('admission.review_rejected');
});

test('a stranger’s rejection is signed, and warned of: no known policy hears it', async () => {
  const image = await here.push('webshop-stranger');
  const { stderr, policies } = await reject([image], 'mallory@example.com');
  expect(policies).toEqual([{ file: `${here.folder}/alices.yaml`, policy: 'alices', hears: false }]);
  expect(stderr).toContain(`warning: no known policy hears it: none names reviewer:mallory@example.com of ${here.url}`);
});

test('of an image that no policy covers none hears it', async () => {
  const image = await here.push('elsewhere');
  const { stderr, policies } = await reject([image], 'alice@example.com');
  expect(policies).toEqual([]);
  expect(stderr).toContain(`warning: no known policy hears it: none covers ${image}`);
});

test('of a commit every policy is asked, and one that wants no list does not hear it', async () => {
  const { stderr, policies } = await reject([], 'alice@example.com', configuration);
  expect(policies).toEqual(isHeard('alices', 'elsewhere'));
  expect(policies).toContainEqual(expect.objectContaining({ policy: 'elsewhere', hears: false }));
  expect(stderr).toContain('heard by the policy alices');
});

test('where no policy is known, or one cannot be read, the rejection stands, and how to ask is said', async () => {
  const config = here.file('without.yaml', '{}\n');
  const without = await reject([await here.push('webshop-unknown')], 'alice@example.com', config);
  expect(without.policies).toBeUndefined();
  expect(without.stderr).toMatch(/names no policies.*colophon admit .*webshop-unknown.* --policy FILE/);
  const missing = here.file('missing.yaml', 'policies: [gone.yaml]\n');
  const broken = await reject([await here.push('webshop-broken')], 'alice@example.com', missing);
  expect(broken.policies).toBeUndefined();
  expect(broken.stderr).toMatch(/not known: .*gone\.yaml/);
});
