import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_CLAIM_ARC, FULCIO_ARC } from '@colophon/records';
import { parseCertificate } from '@colophon/sigstore/certificate';
import { type Cleanup, type ForeignIssuer, startForeignIssuer, temporaryFolder } from '@colophon/testkit';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ConfigurationInForce } from '../src/configuration/configuration-in-force.ts';
import { parseConfiguration } from '../src/configuration/read-configuration.ts';
import { serveConfiguration } from '../src/start/serve-configuration.ts';
import { json, quietPort } from './running-server.ts';

const NOW = Math.floor(Date.now() / 1000);
const TIMES = { iat: NOW, exp: NOW + 600, aud: 'sigstore' };
const JOB = 'https://ci.example/acme/webshop/build@refs/heads/main';

let builds: ForeignIssuer;
let people: ForeignIssuer;
let stranger: ForeignIssuer;
let url: string;
const undo: Array<() => void | Promise<void>> = [];
beforeAll(async () => {
  [builds, people, stranger] = await Promise.all([startForeignIssuer(), startForeignIssuer(), startForeignIssuer()]);
  url = await serve(
    (one) => void undo.unshift(one),
    [
      { issuer: builds.url, subject: 'uri' },
      { issuer: people.url, subject: 'email' },
    ],
  );
  return async () => {
    for (const one of undo) await one();
    await Promise.all([builds, people, stranger].map((issuer) => issuer.stop()));
  };
});

async function serve(cleanup: Cleanup, issuers: readonly object[]): Promise<string> {
  const folder = temporaryFolder(cleanup);
  const port = await quietPort();
  const issuer = `http://localhost:${port}`;
  const file = join(folder, 'colophon.yaml');
  const listen = { address: 'localhost', port };
  const roles = ['issuer', 'authority'];
  writeFileSync(file, JSON.stringify({ issuer, listen, data: join(folder, 'data'), roles, authority: { issuers } }));
  const server = await serveConfiguration({ file, env: {}, reviewerSecretFile: join(folder, 'secret') });
  cleanup(() => server.close());
  return issuer;
}

/** A certificate, or the code of the refusal. The proof is over `proven`. */
async function certify(token: string, proven: string): Promise<X509Certificate | string> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const answer = await fetch(`${url}/api/v2/signingCert`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      credentials: { oidcIdentityToken: token },
      publicKeyRequest: {
        publicKey: { algorithm: 'ECDSA', content: pemOf(publicKey) },
        proofOfPossession: sign('sha256', Buffer.from(proven), privateKey).toString('base64'),
      },
    }),
  });
  const body = await json(answer);
  if (!answer.ok) return body.details[0].reason;
  return new X509Certificate(body.signedCertificateEmbeddedSct.chain.certificates[0]);
}

const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' });
const nameOf = (made: X509Certificate | string) => (typeof made === 'string' ? made : made.subjectAltName);

describe('a build runner whose issuer is configured', () => {
  test('is certified by its subject, with nothing of ours but issuer and subject', async () => {
    const claims = {
      ...TIMES,
      sub: JOB,
      model_id: 'm',
      human_reviewer: 'alice@example.com',
      repo: 'acme/webshop',
      x: {},
    };
    const made = (await certify(builds.sign(claims), JOB)) as X509Certificate;
    expect(nameOf(made)).toBe(`URI:${JOB}`);
    const { extensions } = parseCertificate(made.raw);
    const ours = [...extensions.keys()].filter(
      (oid) => oid.startsWith(FULCIO_ARC) || oid.startsWith(DEFAULT_CLAIM_ARC),
    );
    expect(ours.toSorted()).toEqual([`${FULCIO_ARC}.1`, `${FULCIO_ARC}.24`, `${FULCIO_ARC}.8`]);
    expect(Buffer.from(extensions.get(`${FULCIO_ARC}.1`)!.value).toString()).toBe(builds.url);
  });

  test.each([
    ...['agent:code-writer', 'AGENT:code-writer', 'Agent:x', 'reviewer:alice@example.com', 'REVIEWER:a@b'],
    ...['reviews:localhost', 'Reviews:localhost', 'evidence:localhost', 'Evidence:localhost'],
  ])('gets no name of ours: %s', async (sub) => {
    expect(await certify(builds.sign({ ...TIMES, sub }), sub)).toBe('authority.token_subject_reserved');
  });

  test.each(['%61gent:x', 'agent%3Ax', ' agent:x', '\tagent:x', 'аgent:x', 'agent', 'alice@example.com', '', 7, null])(
    'gets no name in another encoding, and none that is no URI: %j',
    async (sub) => {
      expect(await certify(builds.sign({ ...TIMES, sub }), String(sub))).toBe('authority.token_subject_invalid');
    },
  );

  test('names no agent beside its subject, and no e-mail address instead of it', async () => {
    const withAgent = builds.sign({ ...TIMES, sub: JOB, agent_name: 'code-writer' });
    expect(await certify(withAgent, JOB)).toBe('authority.token_subject_mismatch');
    const withEmail = builds.sign({ ...TIMES, sub: JOB, email: 'alice@example.com', email_verified: true });
    expect(nameOf(await certify(withEmail, JOB))).toBe(`URI:${JOB}`);
    expect(await certify(withEmail, 'alice@example.com')).toBe('authority.proof_invalid');
  });
});

describe('a person whose issuer is configured', () => {
  const ALICE = { ...TIMES, sub: '248289761001', email: 'alice@example.com', email_verified: true };

  test('is certified by the verified address, over which the key is proven', async () => {
    expect(nameOf(await certify(people.sign(ALICE), ALICE.email))).toBe('email:alice@example.com');
    expect(await certify(people.sign(ALICE), ALICE.sub)).toBe('authority.proof_invalid');
  });

  test.each([false, undefined, null, 'true', 1])(
    'is not certified by an address that is not verified: %j',
    async (said) => {
      const token = people.sign({ ...ALICE, email_verified: said });
      expect(await certify(token, ALICE.email)).toBe('authority.token_email_unverified');
    },
  );

  test.each([
    'agent:code-writer',
    'agent:a@b',
    'reviewer:alice@example.com',
    'alice',
    'a b@x',
    'a@x,b@y',
    '',
    null,
    ['a@b'],
  ])('has an address and nothing else: %j', async (email) => {
    expect(await certify(people.sign({ ...ALICE, email }), String(email))).toBe('authority.token_subject_invalid');
  });

  test('is not certified by a subject', async () => {
    expect(await certify(people.sign({ ...TIMES, sub: JOB }), JOB)).toBe('authority.token_subject_invalid');
  });
});

test('an issuer that is not configured is not asked for anything, and none speaks for another', async () => {
  expect(await certify(stranger.sign({ ...TIMES, sub: JOB }), JOB)).toBe('authority.token_issuer_untrusted');
  expect(stranger.requests()).toEqual([]);
  const asOurs = { ...TIMES, iss: url, sub: 'agent:code-writer', jti: 'x' };
  expect(await certify(builds.sign(asOurs), 'agent:code-writer')).toBe('authority.token_key_unknown');
  const asPeople = { ...TIMES, iss: people.url, sub: 'x', email: 'alice@example.com', email_verified: true };
  expect(await certify(builds.sign(asPeople), 'alice@example.com')).toBe('authority.token_signature_invalid');
  for (const iss of [`${builds.url}/`, builds.url.toUpperCase()]) {
    expect(await certify(builds.sign({ ...TIMES, iss, sub: JOB }), JOB)).toBe('authority.token_issuer_untrusted');
  }
  expect(await certify(builds.sign({ ...TIMES, sub: JOB, aud: 'other' }), JOB)).toBe('authority.token_audience_wrong');
});

test('clients are told what each issuer’s tokens are proven by', async () => {
  const { issuers } = await json(fetch(`${url}/api/v2/configuration`));
  expect(issuers).toMatchObject([
    { issuerUrl: url, challengeClaim: 'sub', issuerType: 'ci-provider' },
    { issuerUrl: builds.url, challengeClaim: 'sub', issuerType: 'uri' },
    { issuerUrl: people.url, challengeClaim: 'email', issuerType: 'email' },
  ]);
});

describe('the configuration', () => {
  const issuesOf = (authority: object, roles = ['issuer', 'authority']) => {
    const head = { issuer: 'http://localhost:7999', listen: { address: 'localhost', port: 7999 }, data: 'data', roles };
    const parsed = parseConfiguration(JSON.stringify({ ...head, authority }), { folder: '/' });
    return parsed.ok ? [] : parsed.issues.map(({ code, path }) => [code, path]);
  };
  const ci = { issuer: 'https://ci.example', subject: 'uri' };

  test.each<[object, string, string]>([
    [
      { issuers: [{ ...ci, issuer: 'http://ci.example' }] },
      'configuration.issuer_invalid',
      '/authority/issuers/0/issuer',
    ],
    [
      { issuers: [{ ...ci, issuer: 'https://ci.example/?x' }] },
      'configuration.issuer_invalid',
      '/authority/issuers/0/issuer',
    ],
    [
      { issuers: [{ ...ci, issuer: 'http://localhost:7999' }] },
      'configuration.name_repeated',
      '/authority/issuers/0/issuer',
    ],
    [
      { issuers: [{ ...ci, issuer: 'http://localhost:7999/' }] },
      'configuration.name_repeated',
      '/authority/issuers/0/issuer',
    ],
    [{ issuers: [ci, { ...ci, subject: 'email' }] }, 'configuration.name_repeated', '/authority/issuers/1/issuer'],
  ])('%j is refused: %s', (authority, code, path) => {
    expect(issuesOf(authority)).toEqual([[code, path]]);
  });

  test('names further issuers only where an authority is served', () => {
    expect(issuesOf({ issuers: [ci] })).toEqual([]);
    expect(issuesOf({ issuers: [ci] }, ['issuer'])).toEqual([['configuration.role_refused', '/authority']]);
  });
});

test('nothing of this is served where none is configured', async () => {
  const own = await serve(onTestFinished, [{ issuer: builds.url, subject: 'uri' }]);
  const { issuers } = await json(fetch(`${own}/api/v2/configuration`));
  expect(issuers).toHaveLength(2);
});

test('another list of issuers takes effect with the next start, and until then the file is said to be stale', async () => {
  const head = {
    issuer: 'http://localhost:7999',
    listen: { address: 'localhost', port: 0 },
    roles: ['issuer', 'authority'],
  };
  const folder = temporaryFolder(onTestFinished);
  const file = join(folder, 'colophon.yaml');
  const write = (issuers: object[]) =>
    writeFileSync(file, JSON.stringify({ ...head, data: join(folder, 'data'), authority: { issuers } }));
  write([{ issuer: builds.url, subject: 'uri' }]);
  const seen: unknown[] = [];
  const inForce = new ConfigurationInForce(file, { onChange: (refused) => void seen.push(refused), intervalMs: 20 });
  onTestFinished(() => inForce.close());
  write([{ issuer: stranger.url, subject: 'uri' }]);
  await expect.poll(() => seen.length).toBe(1);
  expect(String(seen[0])).toContain('changes authority, which takes effect when the server is started again');
  expect(inForce.fixed.furtherIssuers).toEqual([{ issuer: builds.url, subject: 'uri' }]);
});
