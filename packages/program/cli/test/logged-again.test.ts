// Anybody can log a signature again, write a bundle's JSON in another way, and hand both to the registry and the evidence
// store. Neither makes a new word of it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestToken } from '@colophon/oidc';
import { imageToFetch, RegistryClient } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attachBundle } from '../../../signing/sigstore/src/image-signature/attach.ts';
import { documentOf } from './command-line.ts';
import { foreignSigner } from './foreign-signer.ts';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const REVIEW = 'https://colophon.example/predicates/agent-review/v1';
const cleanup = cleanupAt(afterAll);
let here: Installation;
let policy: string;

beforeAll(async () => {
  here = await install(cleanup);
  const lead = `mayWithdraw: [{ issuer: ${here.url}, subject: "reviewer:lead@example.com" }]`;
  policy = here.file('policy.yaml', `${policyText(here.url, here.registry)}  ${lead}\n`);
});
const by = (name: string, commit = COMMIT) => ['--reviewer', `${name}@example.com`, '--commit-sha', commit];
const place = (name: string) => join(here.folder, name);
const idOf = (bundle: Uint8Array) => createHash('sha256').update(bundle).digest('hex');
/** Signed times are whole seconds. */
const nextSecond = () => sleep(1100);

async function goodImage(name: string, commit = COMMIT): Promise<string> {
  const image = await here.push(`webshop-${name}`);
  await here.document('sign', ...CONTEXT.map((word) => (word === COMMIT ? commit : word)), image);
  await here.document('review', 'approve', image, ...by('alice', commit));
  return image;
}

async function reasons(image: string): Promise<string[]> {
  const { reasons } = documentOf(await here.run('admit', image, '--policy', policy, '-o', 'json')) as {
    reasons: Array<{ code: string }>;
  };
  return reasons.map(({ code }) => code);
}

async function attach(image: string, bundle: Uint8Array): Promise<void> {
  const client = new RegistryClient();
  const resolved = await client.resolve(imageToFetch(image));
  await attachBundle(client, resolved, { bundle, predicateType: REVIEW, now: new Date() });
}

async function keep(bundle: Uint8Array): Promise<{ status: number; id: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${here.url}/evidence`, { method: 'POST', headers, body: Buffer.from(bundle) });
  const { id } = (await answer.json()) as { id: string };
  return { status: answer.status, id };
}

const inAnotherSpelling = (bundle: Uint8Array) => Buffer.concat([bundle, Buffer.from('\n ')]);

/** The same signature in a new entry of the log: the envelope is written in another way, so the log does not know it. */
async function loggedAgain(bundle: Uint8Array): Promise<Uint8Array> {
  const { dsseEnvelope, verificationMaterial, ...rest } = JSON.parse(Buffer.from(bundle).toString());
  const der = Buffer.from(verificationMaterial.certificate.rawBytes, 'base64').toString('base64');
  const pem = `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  const envelope = JSON.stringify(dsseEnvelope, null, 1);
  const proposedContent = { envelope, verifiers: [Buffer.from(pem).toString('base64')] };
  const answer = await fetch(`${here.url}/api/v1/log/entries`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: '0.0.1', kind: 'dsse', spec: { proposedContent } }),
  });
  expect(answer.status).toBe(201);
  const [entry] = Object.values((await answer.json()) as Record<string, LogAnswer>) as [LogAnswer];
  const { inclusionProof: proof, signedEntryTimestamp } = entry.verification;
  const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
  const tlogEntry = {
    logIndex: String(entry.logIndex),
    logId: { keyId: base64(entry.logID) },
    kindVersion: { kind: 'dsse', version: '0.0.1' },
    integratedTime: String(entry.integratedTime),
    inclusionPromise: { signedEntryTimestamp },
    inclusionProof: {
      logIndex: String(proof.logIndex),
      rootHash: base64(proof.rootHash),
      treeSize: String(proof.treeSize),
      hashes: proof.hashes.map(base64),
      checkpoint: { envelope: proof.checkpoint },
    },
    canonicalizedBody: entry.body,
  };
  const material = { ...verificationMaterial, tlogEntries: [tlogEntry] };
  return Buffer.from(JSON.stringify({ ...rest, verificationMaterial: material, dsseEnvelope }));
}

type LogAnswer = {
  readonly body: string;
  readonly logID: string;
  readonly logIndex: number;
  readonly integratedTime: number;
  readonly verification: {
    readonly signedEntryTimestamp: string;
    readonly inclusionProof: {
      readonly logIndex: number;
      readonly rootHash: string;
      readonly treeSize: number;
      readonly hashes: string[];
      readonly checkpoint: string;
    };
  };
};

test('an old approval that somebody has logged again takes nothing back', async () => {
  const image = await goodImage('old-approval');
  const approval = place('old-approval.json');
  await here.document('review', 'approve', image, ...by('bob'), '--bundle', approval);
  await nextSecond();
  await here.document('review', 'reject', image, ...by('bob'));
  expect(await reasons(image)).toEqual(['admission.review_rejected']);
  await nextSecond();
  const again = await loggedAgain(readFileSync(approval));
  await attach(image, again);
  expect(await reasons(image)).toEqual(['admission.review_rejected']);
  expect((await keep(again)).status).toBe(201);
  expect(await reasons(image)).toEqual(['admission.review_rejected']);
});

test('nor does it make somebody a reviewer again', async () => {
  const commit = '9'.repeat(40);
  const image = await here.push('webshop-reviewer-again');
  const context = CONTEXT.map((word) => (word === COMMIT ? commit : word));
  await here.document('attest', '--type', 'agent-run', ...context, image);
  const approval = place('reviewer-again.json');
  await here.document('review', 'approve', image, ...by('bob', commit), '--bundle', approval);
  const bom = here.file('reviewer-again.cdx.json', {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components: [{ type: 'file', name: 'src/a.ts', 'bom-ref': 'a' }],
  });
  let count = 0;
  const reviewers = async () => {
    const out = place(`reviewer-again-${count++}.json`);
    const line = ['sbom', 'attribute', bom, '--commit', commit, ...here.pinned, '--out', out];
    const { runs } = (await here.document(...line)) as { runs: Array<{ review?: { reviewer?: unknown } }> };
    return JSON.stringify(runs.map(({ review }) => review ?? null));
  };
  expect(await reviewers()).toContain('bob@example.com');
  await nextSecond();
  await here.document('review', 'reject', image, ...by('bob', commit));
  expect(await reviewers()).toBe('[null]');
  await nextSecond();
  expect((await keep(await loggedAgain(readFileSync(approval)))).status).toBe(201);
  expect(await reviewers()).toBe('[null]');
});

test('a rejection that was withdrawn, or taken back, comes back in no other spelling and by no other entry', async () => {
  const commit = 'e'.repeat(40);
  const rejection = place('withdrawn.json');
  await here.document('review', 'reject', ...by('bob', commit), '--bundle', rejection);
  const image = await goodImage('withdrawn', commit);
  const bundle = readFileSync(rejection);
  const withdrawal = ['--rejection', idOf(bundle), '--reason', 'bob left', '--reviewer', 'lead@example.com'];
  await here.document('review', 'withdraw', ...withdrawal, '--bundle', place('withdrawal.json'));
  expect(await reasons(image)).toEqual([]);
  for (const copy of [inAnotherSpelling(bundle), await loggedAgain(bundle)]) {
    await attach(image, copy);
    await keep(copy);
    expect(await reasons(image)).toEqual([]);
  }
  const { rejections } = (await here.document('review', 'list')) as { rejections: Array<{ id: string }> };
  expect(rejections.filter(({ id }) => id === idOf(bundle))).toHaveLength(1);

  const taken = await goodImage('taken-back');
  await here.document('review', 'reject', taken, ...by('alice'), '--bundle', place('taken.json'));
  await nextSecond();
  await here.document('review', 'approve', taken, ...by('alice'));
  expect(await reasons(taken)).toEqual([]);
  await nextSecond();
  const again = await loggedAgain(readFileSync(place('taken.json')));
  await attach(taken, again);
  await keep(again);
  expect(await reasons(taken)).toEqual([]);
});

test('a new signature over the same words is a new word', async () => {
  const image = await here.push('webshop-same-words');
  await here.document('sign', ...CONTEXT, image);
  await here.document('review', 'approve', image, ...by('alice'));
  const secret = readFileSync(join(here.folder, 'config', 'colophon', 'reviewer-secret'), 'utf8').trim();
  const request = { purpose: 'review', human_reviewer: 'bob@example.com', commit_sha: COMMIT };
  const predicate = {
    human_reviewer: 'bob@example.com',
    review_timestamp: '2026-11-20T10:00:00Z',
    decision: 'rejected',
  };
  const sign = async () => {
    const token = await requestToken(here.url, new TextEncoder().encode(JSON.stringify(request)), { secret });
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'webshop', digest: { sha256: image.split('@sha256:')[1] as string } }],
      predicateType: REVIEW,
      predicate,
    } as const;
    return (await foreignSigner(here.url, token).signStatement(statement)).bundle;
  };
  const old = await sign();
  await keep(old);
  expect(await reasons(image)).toEqual(['admission.review_rejected']);
  await nextSecond();
  await here.document('review', 'approve', image, ...by('bob'));
  expect(await reasons(image)).toEqual([]);
  await nextSecond();
  const again = await sign();
  await attach(image, again);
  expect(await reasons(image)).toEqual(['admission.review_rejected']);
  await attach(image, old);
  await keep(again);
  expect(await reasons(image)).toEqual(['admission.review_rejected']);
});

test('a signature is kept once, however its bundle is written', async () => {
  const file = place('kept-once.json');
  await here.document('review', 'reject', ...by('carol', 'd'.repeat(40)), '--bundle', file);
  const bundle = readFileSync(file);
  for (const copy of [
    bundle,
    inAnotherSpelling(bundle),
    Buffer.from(JSON.stringify(JSON.parse(bundle.toString()), null, 2)),
  ]) {
    expect(await keep(copy)).toEqual({ status: 200, id: idOf(bundle) });
  }
  const { rows } = (await here.document('query', `reviews where commit = ${'d'.repeat(40)}`)) as { rows: unknown[] };
  expect(rows).toHaveLength(1);
});
