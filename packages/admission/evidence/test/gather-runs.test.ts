import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { findWords, type GatherTrust, gatherRuns, reviewerPolicy, storeEvidence } from '@colophon/evidence/client';
import { agentReviewType, agentRunType, STATEMENT_TYPE } from '@colophon/records';
import { createIdentityPolicy } from '@colophon/sigstore';
import { draftStatement, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import {
  CLAIMS,
  emailName,
  ISSUER,
  type LeafOptions,
  LocalSigstore,
  uriName,
} from '@colophon/testkit/local-sigstore/local-sigstore';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startStore } from './evidence-server.ts';

const { human_reviewer: _, review_timestamp: __, ...AGENT } = CLAIMS;
const COMMIT = CLAIMS.commit_sha;
const RUN = {
  agent: { name: CLAIMS.agent_name, version: CLAIMS.agent_version },
  model: { id: CLAIMS.model_id, provider: CLAIMS.model_provider },
  input: { prompt_hash: CLAIMS.prompt_hash },
  policy: { pack_hash: CLAIMS.policy_pack_hash },
  git: { commit_sha: COMMIT },
};

let local: LocalSigstore;
let trust: GatherTrust;
beforeEach(() => {
  local = new LocalSigstore();
  trust = {
    trust: local.trust,
    policy: createIdentityPolicy({ issuer: ISSUER, subject: CLAIMS.sub }),
    reviewers: reviewerPolicy({ issuer: ISSUER }),
  };
});

function signedRun(commit: string = COMMIT): Buffer {
  const subject = [{ name: 'acme/shop', digest: { gitCommit: commit } }];
  const predicate = { ...RUN, git: { commit_sha: commit } };
  const statement = { _type: STATEMENT_TYPE, subject, predicateType: agentRunType(), predicate };
  return toBytes(draftStatement(local, statement, { claims: { ...AGENT, commit_sha: commit } }));
}

const SSO = 'https://sso.example';
const BY_REVIEWER = { claims: { iss: ISSUER, sub: 'reviewer:dana@example.com', aud: 'sigstore', jti: 'review-1' } };
const byMail = (iss = SSO): LeafOptions => ({ claims: { iss }, sans: [emailName('dana@example.com')] });

function signedReview(leaf: LeafOptions = BY_REVIEWER): Buffer {
  const subject = [{ name: 'acme/shop', digest: { gitCommit: COMMIT } }];
  const reviewed = { human_reviewer: 'dana@example.com', review_timestamp: '2026-11-21T09:59:00Z' };
  const predicate = { ...reviewed, decision: 'approved', commit_sha: COMMIT };
  const statement = { _type: STATEMENT_TYPE, subject, predicateType: agentReviewType(), predicate };
  return toBytes(draftStatement(local, statement, leaf));
}

test('a review by the company’s login counts where its issuer is named, from a store and from a file', async () => {
  const server = await startStore(local, [SSO]);
  await storeEvidence(server, signedRun(), 'run');
  await storeEvidence(server, signedReview(byMail()), 'review');
  const stored = { server, choice: { commits: [COMMIT] } };
  const named = await gatherRuns({ stored }, { ...trust, peopleIssuer: SSO });
  const review = { reviewer: { issuer: SSO, address: 'dana@example.com' }, basis: { source: 'review' } };
  expect(named).toMatchObject({ refused: [], runs: [{ review }] });
  expect((await gatherRuns({ stored }, trust)).runs[0]).not.toHaveProperty('review');
  const given = (name: string, bytes: Uint8Array) => ({ name, url: name, bytes });
  const bundles = [given('run', signedRun()), given('review', signedReview(byMail()))];
  expect(await gatherRuns({ bundles }, { ...trust, peopleIssuer: SSO })).toMatchObject({ runs: [{ review }] });
  // The issuer's own reviewers count beside them.
  const ours = [given('run', signedRun()), given('review', signedReview())];
  expect((await gatherRuns({ bundles: ours }, { ...trust, peopleIssuer: SSO })).runs[0]).toHaveProperty('review');
});

test.each<[title: string, leaf: () => LeafOptions]>([
  ['of another issuer', () => byMail('https://other.example')],
  ['whose address is a URI', () => ({ claims: { iss: SSO }, sans: [uriName('dana@example.com')] })],
  ['of a service account', () => ({ claims: { iss: SSO }, sans: [emailName('ci@acme.iam.gserviceaccount.com')] })],
])('a review %s is refused by its signer', async (_title, leaf) => {
  const bundles = [{ name: 'review', url: 'review', bytes: signedReview(leaf()) }];
  const gathering = gatherRuns({ bundles }, { ...trust, peopleIssuer: SSO });
  await expect(gathering).rejects.toMatchObject({ code: expect.stringMatching(/^identity\./) });
});

test('what strangers store about a commit is asked for by nobody', async () => {
  const server = await startStore(local, [SSO]);
  const store = (leaf: LeafOptions) => {
    const subject = [{ name: 'acme/shop', digest: { gitCommit: COMMIT } }];
    const statement = { _type: STATEMENT_TYPE, subject, predicateType: 'https://acme.example/agent-review/v2' };
    return storeEvidence(server, toBytes(draftStatement(local, { ...statement, predicate: {} }, leaf)), 'a word');
  };
  const wanted = [
    await store(byMail()),
    await store(byMail(`${SSO}/`)),
    await store(byMail('https://SSO.example:443')),
  ];
  const ofReviewers = [
    await storeEvidence(server, signedReview(), 'a review'),
    await storeEvidence(
      server,
      signedReview({ claims: { iss: ISSUER }, sans: [uriName('Reviewer:dana@example.com')] }),
      'a claim of a review',
    ),
  ];
  for (const issuer of ['https://other.example', 'https://sso.example.evil', 'https://ssoxexample']) {
    await store(byMail(issuer));
  }
  await store({ claims: { iss: ISSUER }, sans: [uriName('agent:code-writer')] });
  const found = async (issuer?: string) => (await findWords(server, [COMMIT], issuer)).toSorted();
  const ids = (stored: ReadonlyArray<{ readonly id: string }>) => stored.map(({ id }) => id).sort();
  expect(await found()).toEqual(ids(ofReviewers));
  expect(await found(SSO)).toEqual(ids([...wanted, ...ofReviewers]));
});

test('the runs of a commit come out of a store, with the review that counts for it', async () => {
  const server = await startStore(local);
  const { id } = await storeEvidence(server, signedRun(), 'run');
  await storeEvidence(server, signedRun('d'.repeat(40)), 'another run');
  await storeEvidence(server, signedReview(), 'review');
  const gathered = await gatherRuns({ stored: { server, choice: { commits: [COMMIT] } } }, trust);
  expect(gathered).toMatchObject({
    refused: [],
    runs: [
      {
        bundle: `sha256:${id}`,
        url: `${server}/evidence/${id}`,
        subject: CLAIMS.sub,
        commits: [COMMIT],
        review: { reviewer: { address: 'dana@example.com' }, basis: { source: 'review' } },
      },
    ],
  });
});

test('bundles that are given need no server, and the one that does not hold is named', async () => {
  const given = (name: string, bytes: Uint8Array) => ({ name, url: `https://files.example/${name}`, bytes });
  const [run, review] = [given('run', signedRun()), given('review', signedReview())];
  const { runs } = await gatherRuns({ bundles: [review, run] }, trust);
  expect(runs).toMatchObject([{ url: run.url, review: { reviewer: { address: 'dana@example.com' } } }]);
  const stranger = createIdentityPolicy({ issuer: ISSUER, subject: 'agent:another' });
  await expect(gatherRuns({ bundles: [run] }, { ...trust, policy: stranger })).rejects.toMatchObject({
    code: 'identity.subject_mismatch',
    facts: { checked: 'run' },
  });
  await expect(gatherRuns({ bundles: [review] }, trust)).rejects.toMatchObject({
    code: 'evidence.no_run',
    kind: 'nothing',
    facts: { found: '1 review' },
  });
});

test('runs of which none is verified end as the first of them, and all are listed', async () => {
  const server = await startStore(local);
  const { id } = await storeEvidence(server, signedRun(), 'run');
  const stranger = createIdentityPolicy({ issuer: ISSUER, subject: 'agent:another' });
  const stored = { server, choice: { commits: [COMMIT] } };
  await expect(gatherRuns({ stored }, { ...trust, policy: stranger })).rejects.toMatchObject({
    code: 'evidence.no_run',
    kind: 'mismatch',
    facts: { issues: [{ code: 'identity.subject_mismatch', message: expect.stringContaining(`sha256:${id}`) }] },
  });
});

test('runs come in one order, whichever the store gives last', async () => {
  const server = await startStore(local);
  const commits = Array.from({ length: 6 }, (_, index) => `${index}`.repeat(40));
  const ids: string[] = [];
  for (const commit of commits) ids.push((await storeEvidence(server, signedRun(commit), commit)).id);
  const slow = ids.toSorted()[0];
  const late = await before(server, async (path) => {
    if (path.endsWith(`${slow}`)) await setTimeout(100);
  });
  const { runs } = await gatherRuns({ stored: { server: late, choice: { commits } } }, trust);
  expect(runs.map(({ bundle }) => bundle)).toEqual(ids.toSorted().map((id) => `sha256:${id}`));
});

/** Passes questions on to a server, each after what is awaited of its path. */
async function before(server: string, wait: (path: string) => Promise<void>): Promise<string> {
  const passing = createServer(async (request, response) => {
    const path = request.url ?? '/';
    const body = await buffer(request);
    await wait(path);
    const type = request.headers['content-type'] ?? 'application/json';
    const question = { method: 'POST', headers: { 'content-type': type }, body: new Uint8Array(body) };
    const answer = await fetch(`${server}${path}`, request.method === 'POST' ? question : {});
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => passing.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    passing.closeAllConnections();
    passing.close();
  });
  return `http://127.0.0.1:${(passing.address() as AddressInfo).port}`;
}
