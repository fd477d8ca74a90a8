import { createHash } from 'node:crypto';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { type Company, installWithCompany, REVIEW_TYPE, SSO } from './company.ts';
import { COMMIT, CONTEXT, type Installation } from './installation.ts';

const ALICE = 'alice@example.com';
const cleanup = cleanupAt(afterAll);
let here: Installation;
let company: Company;

beforeAll(async () => {
  ({ here, company } = await installWithCompany(cleanup, { issuers: SSO }));
});
/** An image with a review by an accepted reviewer, whose program says what it likes. */
async function reviewed(files: readonly unknown[], known: readonly unknown[]): Promise<string> {
  const image = await here.push(`webshop-${files.length}`);
  await here.document('sign', ...CONTEXT, image);
  await review(image, ALICE, files, known);
  return image;
}

async function review(
  image: string,
  reviewer: string,
  files: readonly unknown[],
  known = files,
  digest = image.split('@sha256:')[1] as string,
  commit = COMMIT,
): Promise<void> {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: 'webshop', digest: { sha256: digest } },
      { name: 'commit', digest: { gitCommit: commit } },
    ],
    predicateType: REVIEW_TYPE,
    predicate: {
      human_reviewer: reviewer,
      review_timestamp: '2026-11-21T09:59:00Z',
      decision: 'approved',
      commit_sha: commit,
      files,
      known,
    },
  };
  await company.attach(image, company.sign(statement, { subject: reviewer }));
}

async function admitted(image: string, policy: string) {
  const ran = await here.run('admit', image, '--policy', policy, '--config', company.configuration, '-o', 'json');
  const codes: string[] = (documentOf(ran).reasons ?? []).map(({ code }: { code: string }) => code);
  return [ran.exitCode, [...new Set(codes)]];
}

test('a condition that a statement would keep busy is not met, and one over many files is', async () => {
  const policy = here.file(
    'policy.yaml',
    `version: 1
images: ["${here.registry}/webshop*"]
agent: { issuer: ${here.url}, subject: agent:code-writer }
review: { issuer: ${SSO}, subject: ${ALICE}, conditions: ['predicate.files.all(f, f in predicate.known)'] }
`,
  );
  const admit = (image: string) => admitted(image, policy);
  const files = Array.from({ length: 500 }, (_, number) => `packages/part-${number}/src/index.ts`);
  expect(await admit(await reviewed(files, files))).toEqual([0, []]);
  const twos = new Array(60_000).fill(2);
  const last = [...new Array(60_000).fill(1), 2];
  expect(await admit(await reviewed(twos, last))).toEqual([20, ['admission.condition_failed']]);
});

test('what several reviewers sign shares the steps of one decision, and strangers have no part in it', async () => {
  const conditions = Array.from({ length: 4 }, (_, n) => `'predicate.files.all(f, f in predicate.known) || ${n} > 9'`);
  const policy = here.file(
    'shared.yaml',
    `version: 1
images: ["${here.registry}/webshop*"]
agent: { issuer: ${here.url}, subject: agent:code-writer }
review: { issuer: ${SSO}, subjectRegExp: '.+@example[.]com', conditions: [${conditions.join(', ')}] }
`,
  );
  const files = Array.from({ length: 3_000 }, (_, number) => `packages/part-${number}/src/index.ts`);
  const image = await here.push('webshop-shared');
  await here.document('sign', ...CONTEXT, image);
  await review(image, ALICE, files);
  for (const stranger of ['eve@other.example', 'mallory@other.example', 'oscar@other.example']) {
    await review(image, stranger, files);
  }
  expect(await admitted(image, policy)).toEqual([0, []]);
  await review(image, 'bob@example.com', files);
  await review(image, 'carol@example.com', files);
  expect(await admitted(image, policy)).toEqual([20, expect.arrayContaining(['admission.condition_failed'])]);
});

test('what goes on after an error in each of many files is not met, and what does so in some is', async () => {
  const conditions = Array.from({ length: 5 }, (_, n) => `"predicate.files.all(f, f.o == '${n}' || f == 1)"`);
  const policy = here.file(
    'errors.yaml',
    `version: 1
images: ["${here.registry}/webshop*"]
agent: { issuer: ${here.url}, subject: agent:code-writer }
review: { issuer: ${SSO}, subject: ${ALICE}, conditions: [${conditions.join(', ')}] }
`,
  );
  const ones = (count: number) => new Array(count).fill(1);
  expect(await admitted(await reviewed(ones(1_000), []), policy)).toEqual([0, []]);
  expect(await admitted(await reviewed(ones(30_000), []), policy)).toEqual([20, ['admission.condition_failed']]);
});

test('who can attach genuine reviews of other images uses up no steps of the review of this one', async () => {
  const policy = here.file(
    'replayed.yaml',
    `version: 1
images: ["${here.registry}/webshop*"]
agent: { issuer: ${here.url}, subject: agent:code-writer }
review: { issuer: ${SSO}, subject: ${ALICE}, conditions: ['predicate.files.all(f, f in predicate.known)'] }
`,
  );
  const files = Array.from({ length: 3_000 }, (_, number) => `packages/part-${number}/src/index.ts`);
  const image = await reviewed(files, files);
  for (let number = 0; number < 12; number += 1) {
    const other = createHash('sha256').update(`other ${number}`).digest('hex');
    await review(image, ALICE, ['a'], ['a'], other, other.slice(0, 40));
  }
  expect(await admitted(image, policy)).toEqual([0, []]);
});
