import { readFileSync } from 'node:fs';
import {
  createAgentReviewStatement,
  createReviewWithdrawalStatement,
  formatReviewerProof,
  joinNegativesPages,
  negativesPageAddress,
  parseStandingNegatives,
  type Subject,
} from '@colophon/records';
import { loadTrustedRoot, parseBundle, signStatement, verifyBundle } from '@colophon/sigstore';
import { SIX_FIELDS } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { json, runServer, type TestServer } from './running-server.ts';

const IMAGE = 'a'.repeat(64);
const CHILD = 'b'.repeat(64);
const COMMIT = '1'.repeat(40);
const ALICE = 'alice@example.com';
const BOB = 'bob@example.com';

const image = (sha256: string): Subject => ({ name: 'webshop', digest: { sha256 } });
const commit = (gitCommit: string): Subject => ({ name: 'commit', digest: { gitCommit } });

let nonce = 0;
/** A token in a person's own name. */
async function reviewerToken(server: TestServer, reviewer: string): Promise<string> {
  const body = Buffer.from(JSON.stringify({ purpose: 'review', human_reviewer: reviewer }));
  const secret = readFileSync(server.reviewerSecretFile, 'utf8').trim();
  nonce += 1;
  const proof = { secret, issuer: server.url, body, issuedAt: Date.now(), nonce: nonce.toString(16).padStart(32, '0') };
  const headers = { 'content-type': 'application/json', authorization: formatReviewerProof(proof) };
  return (await fetch(`${server.url}/oauth/token`, { method: 'POST', body, headers })).text();
}

/** Signs and imports; answers with the id in the evidence store. */
async function keep(server: TestServer, signer: string | undefined, statement: object): Promise<string> {
  const { url } = server;
  const identityToken = async () =>
    signer === undefined ? (await server.mint(SIX_FIELDS)).text() : reviewerToken(server, signer);
  const { bundle } = await signStatement({
    fulcioUrl: url,
    rekorUrl: url,
    identityToken,
    statement: statement as never,
  });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/evidence`, { method: 'POST', body: new Uint8Array(bundle), headers });
  expect(answer.status).toBe(201);
  return (await json(answer)).id;
}

function review(decision: 'approved' | 'rejected', reviewer: string, subjects: Subject[]) {
  const review_timestamp = new Date().toISOString();
  return createAgentReviewStatement({ subjects, predicate: { human_reviewer: reviewer, review_timestamp, decision } });
}

function withdrawal(rejection: string, reason = 'alice left') {
  const predicate = { rejection, reason, withdrawn_at: new Date().toISOString() };
  return createReviewWithdrawalStatement({ subjects: [image(IMAGE)], predicate });
}

/** The list as a client reads it: every check, and the one identity that may sign it. */
async function list(server: TestServer) {
  const answer = await fetch(`${server.url}/negatives`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/vnd.dev.sigstore.bundle.v0.3+json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const bundle = Buffer.from(await answer.arrayBuffer());
  const trust = loadTrustedRoot(readFileSync(server.paths.trustedRoot, 'utf8'));
  const { signature } = verifyBundle({ bundle, trust, policy: 'gated-elsewhere' });
  const { subject, issuer } = signature.certificate_identity;
  expect([subject, issuer]).toEqual([`evidence:${new URL(server.url).host}`, server.url]);
  expect(parseBundle(bundle).logEntries).toHaveLength(1);
  expect(signature.statement?.predicateType).toBe('https://colophon.example/predicates/standing-negatives/v2');
  const parsed = parseStandingNegatives(signature.statement?.predicate);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const pages = await Promise.all(
    parsed.value.pages.map(async ({ digest }) => {
      const page = await fetch(negativesPageAddress(`${server.url}/negatives`, digest));
      expect(page.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      return [digest, new Uint8Array(await page.arrayBuffer())] as const;
    }),
  );
  return {
    ...joinNegativesPages(parsed.value, new Map(pages)),
    jti: signature.certificate_identity.jti,
    index: signature.log_entry.log_index,
  };
}

/** Signed times are whole seconds: a word in the same second is a tie. */
const nextSecond = () => new Promise((resolve) => setTimeout(resolve, 1_050 - (Date.now() % 1_000)));

test('a new store publishes a signed list with nothing in it, and its token stands in the ledger', async () => {
  const server = await runServer(onTestFinished);
  const empty = await list(server);
  expect(empty).toMatchObject({ sequence: 1, rejections: [], withdrawals: [] });
  const record = await json(fetch(`${server.url}/runs/${empty.jti}`));
  expect(record.claims).toMatchObject({ sub: `evidence:${new URL(server.url).host}` });
});

test('a rejection is listed with all that it names, at once', async () => {
  const server = await runServer(onTestFinished);
  expect((await list(server)).sequence).toBe(1);
  const id = await keep(server, ALICE, review('rejected', ALICE, [image(IMAGE), image(CHILD), commit(COMMIT)]));
  const { sequence, rejections } = await list(server);
  expect(sequence).toBe(2);
  expect(rejections).toMatchObject([
    {
      id,
      person: ALICE,
      issuer: server.url,
      subject: `reviewer:${ALICE}`,
      images: [`sha256:${IMAGE}`, `sha256:${CHILD}`],
      commits: [COMMIT],
    },
  ]);
});

test('a list is signed once while nothing changes, whoever asks and whatever else is stored', async () => {
  const server = await runServer(onTestFinished);
  const many = await Promise.all(Array.from({ length: 20 }, () => list(server)));
  expect(new Set(many.map(({ sequence, index }) => `${sequence} ${index}`)).size).toBe(1);
  await keep(server, ALICE, review('approved', ALICE, [image(IMAGE)]));
  await keep(server, undefined, review('rejected', 'agent@example.com', [image(IMAGE)]));
  expect((await list(server)).sequence).toBe(1);
  expect((await json(fetch(`${server.url}/api/v1/log`))).treeSize).toBe(3);
});

test('what an agent signs is in no list: neither a rejection nor a withdrawal', async () => {
  const server = await runServer(onTestFinished);
  const id = await keep(server, ALICE, review('rejected', ALICE, [image(IMAGE)]));
  await keep(server, undefined, review('rejected', ALICE, [image(IMAGE)]));
  await keep(server, undefined, withdrawal(id));
  expect(await list(server)).toMatchObject({ rejections: [{ id }], withdrawals: [] });
});

test('only a later approval by the same person over all of it takes a rejection off the list', async () => {
  const server = await runServer(onTestFinished);
  await keep(server, ALICE, review('approved', ALICE, [image(IMAGE), image(CHILD), commit(COMMIT)]));
  await nextSecond();
  const id = await keep(server, ALICE, review('rejected', ALICE, [image(IMAGE), image(CHILD), commit(COMMIT)]));
  await nextSecond();
  await keep(server, BOB, review('approved', BOB, [image(IMAGE), image(CHILD), commit(COMMIT)]));
  await keep(server, ALICE, review('approved', ALICE, [image(IMAGE), commit(COMMIT)]));
  expect((await list(server)).rejections).toMatchObject([{ id }]);
  await keep(server, ALICE, review('approved', ALICE, [image(CHILD), image(IMAGE), commit(COMMIT)]));
  expect((await list(server)).rejections).toEqual([]);
});

test('a withdrawal is listed beside the rejection, and goes with it', async () => {
  const server = await runServer(onTestFinished);
  const id = await keep(server, ALICE, review('rejected', ALICE, [commit(COMMIT)]));
  const by = await keep(server, BOB, withdrawal(id));
  await keep(server, BOB, withdrawal(id, 'once more'));
  await keep(server, BOB, withdrawal('f'.repeat(64)));
  const { rejections, withdrawals } = await list(server);
  expect(rejections).toMatchObject([{ id, images: [], commits: [COMMIT] }]);
  expect(withdrawals).toMatchObject([
    { id: by, rejection: id, subject: `reviewer:${BOB}`, issuer: server.url, reason: 'alice left' },
  ]);
  await nextSecond();
  await keep(server, ALICE, review('approved', ALICE, [commit(COMMIT)]));
  expect(await list(server)).toMatchObject({ rejections: [], withdrawals: [] });
});

test('the sequence goes on after a restart, and what stood still stands', async () => {
  const server = await runServer(onTestFinished);
  const id = await keep(server, ALICE, review('rejected', ALICE, [image(IMAGE)]));
  const before = await list(server);
  await server.close();
  const { dataDir, reviewerSecretFile } = server;
  const again = await runServer(onTestFinished, {
    dataDir,
    reviewerSecretFile,
    port: Number(new URL(server.url).port),
  });
  const after = await list(again);
  expect(after.sequence).toBe(before.sequence + 1);
  expect(after.rejections).toMatchObject([{ id }]);
});

test('nobody can have the name of the evidence store', async () => {
  const server = await runServer(onTestFinished);
  const name = `evidence:${new URL(server.url).host}`;
  for (const request of [
    { purpose: 'evidence' },
    { ...SIX_FIELDS, sub: name },
    { ...SIX_FIELDS, agent_name: name },
    { purpose: 'review', human_reviewer: name },
  ]) {
    expect((await server.mint(request)).status).toBe(400);
  }
});
