// Whoever has certificates of some authority withdraws what he likes, and takes nobody's place in the list of negatives.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createReviewWithdrawalStatement } from '@colophon/records';
import { readConfiguredTrust } from '@colophon/server';
import { temporaryFolder } from '@colophon/testkit';
import { draftStatement, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore, uriName } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const CI = { issuer: 'https://ci.example', subject: 'https://ci.example/acme/release' };
const LATE_CI = { issuer: 'https://late-ci.example', subject: 'https://late-ci.example/acme/release' };
const FORGE = 'https://forge.example/'.padEnd(2_000, 'x');
/** Of so many signers each, as long as a withdrawal may be: more than the room that all of them have. */
const STRANGERS = 600;

const undo: Array<() => void | Promise<void>> = [];
const cleanup = (one: () => void | Promise<void>) => undo.push(one);
const everybody = new LocalSigstore();
let here: Installation;

beforeAll(async () => {
  const file = join(temporaryFolder(cleanup), 'everybody.json');
  writeFileSync(file, JSON.stringify(everybody.trustedRootJson()));
  const roots = [{ name: 'everybody', file, insecureIgnoreSct: false }];
  here = await install(cleanup, { trust: readConfiguredTrust({ roots }, new Date()) });
});
afterAll(async () => {
  for (const one of undo.reverse()) await one();
});

const by = (name: string) => ['--reviewer', `${name}@example.com`, '--commit-sha', COMMIT];

/** An image that bob approved and alice rejected, and the id of the rejection. */
async function rejected(name: string): Promise<{ readonly image: string; readonly id: string }> {
  const image = await here.push(`webshop-${name}`);
  await here.document('sign', ...CONTEXT, image);
  await here.document('review', 'approve', image, ...by('bob'));
  await here.document('review', 'reject', image, ...by('alice'));
  const { rejections } = await here.document('review', 'list');
  const digest = image.split('@')[1] as string;
  const { id } = rejections.find(({ images }: { images: string[] }) => images.includes(digest));
  return { image, id };
}

/** Hands the evidence store a withdrawal, which is attached to no image. */
async function withdraw(
  id: string,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  reason = 'left',
): Promise<void> {
  everybody.now = new Date(Math.floor(Date.now() / 1000) * 1000);
  const statement = createReviewWithdrawalStatement({
    subjects: [{ digest: { gitCommit: COMMIT } }],
    predicate: { rejection: id, reason, withdrawn_at: everybody.now.toISOString() },
  });
  const bundle = draftStatement(everybody, statement, {
    claims: { iss: issuer, sub: subject },
    sans: [uriName(subject)],
  });
  const headers = { 'content-type': 'application/json' };
  const kept = await fetch(`${here.url}/evidence`, { method: 'POST', body: new Uint8Array(toBytes(bundle)), headers });
  expect(kept.status).toBe(201);
}

async function admit(image: string, policy: string): Promise<readonly [number, ...string[]]> {
  const ran = await here.run('admit', image, '--policy', policy, '-o', 'json');
  const { reasons = [] } = documentOf(ran) as { reasons?: Array<{ code: string }> };
  return [ran.exitCode, ...reasons.map(({ code }) => code)];
}

test('a flood of strangers’ withdrawals drops no rejection, and nobody’s withdrawal whom a policy names', {
  timeout: 900_000,
}, async () => {
  const rules = [CI, LATE_CI].map(({ issuer, subject }) => `{ issuer: "${issuer}", subject: "${subject}" }`);
  const policy = here.file(
    'policy.yaml',
    `${policyText(here.url, here.registry)}  mayWithdraw: [${rules.join(', ')}]\n`,
  );
  const [first, second, third] = [await rejected('first'), await rejected('second'), await rejected('third')];
  await withdraw(first.id, CI);
  expect(await admit(first.image, policy)).toEqual([0]);
  const before = await here.document('review', 'list');
  for (let n = 0; n < STRANGERS; n += 1) {
    const subject = `https://forge.example/${n}/`.padEnd(2_000, 'x');
    await withdraw(second.id, { issuer: FORGE, subject }, '…'.repeat(1_000));
  }
  expect(await admit(first.image, policy)).toEqual([0]);
  expect(await admit(second.image, policy)).toEqual([20, 'admission.review_rejected']);
  await withdraw(second.id, CI);
  expect(await admit(second.image, policy)).toEqual([0]);
  // Of another issuer than that of the flood also who comes after it.
  await withdraw(third.id, LATE_CI);
  expect(await admit(third.image, policy)).toEqual([0]);
  const after = await here.document('review', 'list');
  expect([after.rejections, after.overflows]).toEqual([before.rejections, before.overflows]);
});
