// One person fills their share of the list of rejections, and nobody else's images wait for them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requestToken } from '@colophon/oidc';
import { createAgentReviewStatement } from '@colophon/records';
import { signStatement } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

/** Of so many digests and commits each, as many as make more than one share. */
const REJECTIONS = 31;
const MOST_NAMES = 1_000;
const MALLORY = 'mallory@example.com';

const cleanup = cleanupAt(afterAll);
let here: Installation;

beforeAll(async () => {
  here = await install(cleanup);
});
/** Signs a rejection of as much as one may name, and hands it to the evidence store. */
async function rejectMuch(): Promise<void> {
  const secret = readFileSync(join(here.folder, 'config', 'colophon', 'reviewer-secret'), 'utf8').trim();
  const request = { purpose: 'review', human_reviewer: MALLORY, commit_sha: COMMIT };
  const body = new TextEncoder().encode(JSON.stringify(request));
  const names = (algorithm: string) =>
    Array.from({ length: MOST_NAMES }, (_, n) => ({ digest: { [algorithm]: n.toString(16).padStart(64, '0') } }));
  const predicate = {
    human_reviewer: MALLORY,
    review_timestamp: new Date().toISOString(),
    decision: 'rejected',
  } as const;
  const { bundle } = await signStatement({
    fulcioUrl: here.url,
    rekorUrl: here.url,
    identityToken: () => requestToken(here.url, body, { secret }),
    statement: createAgentReviewStatement({ subjects: [...names('sha256'), ...names('gitCommit')], predicate }),
  });
  const headers = { 'content-type': 'application/json' };
  const kept = await fetch(`${here.url}/evidence`, { method: 'POST', body: new Uint8Array(bundle), headers });
  expect(kept.status).toBe(201);
}

const by = (name: string) => ['--reviewer', `${name}@example.com`, '--commit-sha', COMMIT];
const policyFor = (name: string, subject: string) =>
  here.file(`${name}.yaml`, policyText(here.url, here.registry).replace('^reviewer:.*@example\\.com$', subject));

async function admit(image: string, policy: string): Promise<{ exitCode: number; codes: string[] }> {
  const ran = await here.run('admit', image, '--policy', policy, '-o', 'json');
  const { reasons = [] } = documentOf(ran) as { reasons?: Array<{ code: string }> };
  return { exitCode: ran.exitCode, codes: reasons.map(({ code }) => code) };
}

test('large rejections of one person refuse nothing of others, and everything of a policy that names them', async () => {
  const image = await here.push('webshop-others');
  await here.document('sign', ...CONTEXT, image);
  await here.document('review', 'approve', image, ...by('alice'));
  for (let n = 0; n < REJECTIONS; n += 1) await rejectMuch();

  const alices = policyFor('alice', 'reviewer:alice@example\\.com');
  expect(await admit(image, alices)).toEqual({ exitCode: 0, codes: [] });
  const everybodys = policyFor('everybody', 'reviewer:.*@example\\.com');
  expect(await admit(image, everybodys)).toEqual({ exitCode: 20, codes: ['admission.rejections_incomplete'] });

  const { rejections, overflows } = await here.document('review', 'list');
  expect(overflows).toEqual([
    { person: 'mallory@example.com', issuer: here.url, subject: 'reviewer:mallory@example.com', overflow: true },
  ]);
  expect(rejections.length).toBeGreaterThan(REJECTIONS / 2);
  const { stdout } = await here.run('review', 'list', '--wide');
  expect(stdout).toMatch(/\n\nMORE THAN IS LISTED BY +ISSUER +IDENTITY\n *mallory@example\.com/);
  expect(stdout).toContain('admission.rejections_incomplete');

  // Of a pack the same is known.
  const pack = join(here.folder, 'others.pack.json');
  await here.document('pack', image, '--policy', alices, '--out', pack);
  expect((await here.run('verify', '--offline', pack, '--policy', alices)).exitCode).toBe(0);
  const offline = await here.run('verify', '--offline', pack, '--policy', everybodys, '-o', 'json');
  expect(documentOf(offline).admission.reasons).toMatchObject([{ code: 'admission.rejections_incomplete' }]);
}, 300_000);
