// Cases of policies through the program: those of the documents, by hand, and packs of images that were signed.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const NOWHERE = { HOME: '/nonexistent', COLOPHON_HOME: '/nonexistent' };
const DOCUMENTED = join(import.meta.dirname, '../../../../docs/admission-cases');
const IMAGE = `ghcr.io/acme/app@sha256:${'a'.repeat(64)}`;
const POLICY = `version: 1
images: ["ghcr.io/acme/**"]
agent: { issuer: https://agents.acme.example, subject: "agent:writer" }
`;
const CASE = `policy: policy.yaml
image: ${IMAGE}
now: 2026-11-21T12:00:00Z
evidence: {}
expect: refused
reasons: [admission.no_signature, admission.review_missing]
`;
const ADMITTED = CASE.replace(/expect: .*/s, 'expect: admitted\n');

const testIn = (folder: string, ...more: string[]) => runLine(['admission', 'test', folder, ...more], NOWHERE);

function written(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(onTestFinished);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Exit code, and each case with its standing and the codes of its problems. */
async function standings(folder: string, ...more: string[]) {
  const ran = await testIn(folder, '-o', 'json', ...more);
  const cases: Array<{ case: string; standing: string; problems: Array<{ code: string }> }> = documentOf(ran).cases;
  return [
    ran.exitCode,
    cases.map((one) => [one.case, one.standing, ...one.problems.map(({ code }) => code)].join(' ')),
  ];
}

test('the cases of the documents are decided as they say', async () => {
  const [exitCode, cases] = await standings(DOCUMENTED);
  expect(exitCode).toBe(0);
  expect(cases).toEqual(
    ['exception', 'list-missing', 'not-reviewed', 'other-model', 'rejected-by-another', 'reviewed', 'vendor-image'].map(
      (name) => `${name} as-expected`,
    ),
  );
});

test('a table says what was decided, and below it what differs', async () => {
  const folder = written({ 'policy.yaml': POLICY, 'b.yaml': CASE, 'a.yaml': ADMITTED });
  const ran = await testIn(folder);
  expect([ran.exitCode, ran.stderr]).toEqual([20, '']);
  const [heading, a, b] = ran.stdout.split('\n');
  expect(heading).toMatch(/^CASE +EXPECTED +DECIDED/);
  expect(a).toMatch(/^a +admitted +refused/);
  expect(b).toMatch(/^b +refused +refused/);
  expect(ran.stdout).toContain('\n    expected admitted\n    found    refused\n');
  expect(ran.stdout).toContain('[policy_case.decision_differs]');
  expect(ran.stdout).toMatch(/\n2 cases: 1 different, 0 unreadable\n$/);
});

test('the reasons are the whole set, in any order', async () => {
  const reasons = (codes: string) => CASE.replace(/reasons: .*/, `reasons: [${codes}]`);
  const folder = written({
    'policy.yaml': POLICY,
    'fewer.yaml': reasons('admission.no_signature'),
    'more.yaml': reasons('admission.no_signature, admission.review_missing, admission.review_too_old'),
    'other-order.yml': reasons('admission.review_missing, admission.no_signature'),
  });
  expect(await standings(folder)).toEqual([
    20,
    [
      'fewer different policy_case.reasons_differ admission.review_missing',
      'more different policy_case.reasons_differ',
      'other-order as-expected',
    ],
  ]);
});

test('a folder with case.yaml is one case, and every other is looked through', async () => {
  const folder = written({
    'policy.yaml': POLICY,
    'b/case.yaml': CASE.replace('policy.yaml', '../policy.yaml'),
    'b/notes.yaml': 'what this is: not read',
    'a/deep/x.yaml': CASE.replace('policy.yaml', '../../policy.yaml'),
    'a.yaml': CASE,
    '.hidden/x.yaml': 'not: read',
    'c.txt': 'not read',
  });
  const found = [0, ['a/deep/x as-expected', 'a as-expected', 'b as-expected']];
  expect(await standings(folder)).toEqual(found);
  expect(await standings(join(folder, 'b'))).toEqual([0, ['. as-expected']]);
});

test('what cannot be read takes nothing from the others, and nothing is left out in silence', async () => {
  const folder = written({
    'policy.yaml': POLICY,
    'broken-policy.yaml': POLICY.replace('version: 1', 'version: 2'),
    'of-a-broken-policy.yaml': CASE.replace('policy.yaml', 'broken-policy.yaml'),
    'of-no-policy.yaml': CASE.replace('policy.yaml', 'none.yaml'),
    'good.yaml': CASE,
    'no-case.yaml': 'a: 1\n',
    'no-yaml.yaml': '[',
  });
  const [exitCode, cases] = await standings(folder);
  expect(exitCode).toBe(1);
  expect(cases).toEqual([
    'broken-policy unreadable cli.policy_invalid policy.value',
    'good as-expected',
    expect.stringMatching(/^no-case unreadable policy\.unknown_key /),
    'no-yaml unreadable policy.syntax',
    'of-a-broken-policy unreadable cli.policy_invalid policy.value',
    'of-no-policy unreadable cli.file_unreadable',
  ]);
  const place = await testIn(folder);
  expect(place.stdout).toContain('/a, line 1:1: a key that is not known [policy.unknown_key]');
  writeFileSync(join(folder, 'other.yaml'), ADMITTED);
  expect((await testIn(folder)).exitCode).toBe(20);
});

test.each([
  ['no case', { 'policy.yaml': POLICY, 'a.txt': 'x' }, 10, 'cli.no_cases'],
  ['nothing', {}, 10, 'cli.no_cases'],
])('a folder with %s is an error', async (_title, files, exitCode, code) => {
  const ran = await testIn(written(files), '-o', 'json');
  expect([ran.exitCode, documentOf(ran).error.code]).toEqual([exitCode, code]);
});

test('a folder that is none is an error', async () => {
  const folder = written({ 'a.yaml': CASE });
  for (const name of ['a.yaml', 'none']) {
    const ran = await testIn(join(folder, name), '-o', 'json');
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([1, 'cli.file_unreadable']);
  }
});

test('several policies are asked, and each has to admit', async () => {
  const both = CASE.replace('policy.yaml', '[policy.yaml, other.yaml]');
  const legacy = `legacy: { digests: ["${IMAGE.split('@')[1]}"], owner: ops, reason: a vendor }`;
  const folder = written({
    'policy.yaml': POLICY,
    'other.yaml': `version: 1\nimages: ["ghcr.io/**"]\n${legacy}\n`,
    'both.yaml': both,
    'one.yaml': ADMITTED.replace('policy.yaml', 'other.yaml'),
  });
  expect(await standings(folder)).toEqual([0, ['both as-expected', 'one as-expected']]);
});

test('text of a case moves no cursor', async () => {
  const folder = written({ 'policy.yaml': POLICY, 'a.yaml': CASE.replace('policy.yaml', '"\\e[2J\\u202e"') });
  for (const output of ['table', 'json']) {
    const { exitCode, stdout } = await testIn(folder, '-o', output);
    expect(exitCode).toBe(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  }
});

describe('a case with a pack', () => {
  const undo: Array<() => void | Promise<void>> = [];
  let here: Installation;
  let pack: string;
  let root: string;

  beforeAll(async () => {
    here = await install((step) => undo.push(step));
    const policy = here.file('policy.yaml', policyText(here.url, here.registry));
    const image = await here.push('webshop');
    await here.document('sign', ...CONTEXT, image);
    const by = ['--reviewer', 'alice@example.com', '--commit-sha', COMMIT];
    await here.document('review', 'approve', image, ...by, '--duration', '12');
    pack = join(here.folder, 'image.pack.json');
    await here.document('pack', image, '--policy', policy, '--out', pack);
    root = join(here.dataDir, 'trust', 'trusted_root.json');
  });
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  });

  /** A folder with the pack, and cases for it under one policy. */
  function withPack(more: string, cases: Readonly<Record<string, string>>): string {
    const texts = Object.entries(cases).map(([name, text]) => [
      `${name}.yaml`,
      `policy: policy.yaml\nevidence: image.pack.json\n${text}`,
    ]);
    const text = `${policyText(here.url, here.registry)}${more}`;
    const folder = written({ 'policy.yaml': text, ...Object.fromEntries(texts) });
    copyFileSync(pack, join(folder, 'image.pack.json'));
    return folder;
  }

  test('is verified under the given root, and decided as the pack is', async () => {
    const folder = withPack('', { a: 'expect: admitted\n' });
    expect(await standings(folder, '--trusted-root', root)).toEqual([0, ['a as-expected']]);
    const longer = withPack('  minDurationSeconds: 60\n', {
      a: 'expect: refused\nreasons: [admission.review_too_short]\n',
    });
    expect(await standings(longer, '--trusted-root', root)).toEqual([0, ['a as-expected']]);
  });

  test('is decided at the time of the case, or when the pack was made', async () => {
    const folder = withPack('  maxAge: 1d\n', {
      now: 'expect: admitted\n',
      later: 'now: 2099-01-01T00:00:00Z\nexpect: refused\nreasons: [admission.review_too_old]\n',
    });
    expect(await standings(folder, '--trusted-root', root)).toEqual([0, ['later as-expected', 'now as-expected']]);
  });

  test('asks for a root, and proves nothing under another', async () => {
    const folder = withPack('', { a: 'expect: admitted\n' });
    const ran = await testIn(folder, '-o', 'json');
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([1, 'cli.no_trusted_root']);
    const other = await install((step) => undo.push(step));
    const theirs = join(other.dataDir, 'trust', 'trusted_root.json');
    expect(await standings(folder, '--trusted-root', theirs)).toEqual([
      20,
      [
        'a different policy_case.decision_differs policy_case.reasons_differ admission.rejections_incomplete admission.signature_rejected admission.review_not_verified',
      ],
    ]);
  });

  test('that is none is unreadable', async () => {
    const folder = withPack('', { a: 'expect: admitted\n' });
    writeFileSync(join(folder, 'image.pack.json'), '{}');
    const [exitCode, cases] = await standings(folder, '--trusted-root', root);
    expect(exitCode).toBe(1);
    expect(cases).toEqual([expect.stringMatching(/^a unreadable pack\.malformed /)]);
  });
});
