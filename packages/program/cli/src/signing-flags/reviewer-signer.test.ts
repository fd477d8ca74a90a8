import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeIssuerKey, mintToken, startPeer, temporaryFolder } from '@colophon/testkit';
import { Command } from 'commander';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { recordingSession, runLine } from '../../test/command-line.ts';
import { reviewerSecretFile } from '../home/home.ts';
import { reportOf } from '../report/report.ts';
import { assertCertified, personOf, type ReviewerFlags, reviewerSigner } from './reviewer-signer.ts';

afterEach(() => void vi.unstubAllEnvs());

const KEY = makeIssuerKey('RS256');
const DANA = 'dana@example.com';
const tokenOf = (claims: object) => mintToken(KEY, { iss: 'https://sso.example', sub: 'CgVkYW5h', ...claims });
const OF_DANA = tokenOf({ email: DANA, email_verified: true });
const OF_AGENT = tokenOf({ sub: 'agent:code-writer', email: DANA });

function sessionOf(env: NodeJS.ProcessEnv = {}) {
  const folder = temporaryFolder(onTestFinished);
  const config = { COLOPHON_HOME: folder, HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') };
  return recordingSession({ ...config, ...env });
}
const choose = (flags: ReviewerFlags, session = sessionOf()) =>
  reviewerSigner(flags, { issuer: 'http://localhost:7080' }, new Command(), session);
const signed = async (flags: ReviewerFlags, session?: ReturnType<typeof sessionOf>) => (await choose(flags, session))();
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => reportOf(error),
  );

/** A provider where Dana logs in as soon as somebody reads the address on the terminal. */
async function startProvider(claims: object = { email: DANA, email_verified: true }) {
  let nonce = '';
  const provider = await startPeer(onTestFinished, (request, response) => {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 300, aud: 'colophon', nonce };
    const answers: Record<string, unknown> = {
      '/jwks': { keys: [KEY.jwk] },
      '/token': { id_token: mintToken(KEY, { iss: provider.url, sub: 'CgVkYW5h', ...times, ...claims }) },
    };
    const endpoints = { authorization_endpoint: `${provider.url}/authorize`, token_endpoint: `${provider.url}/token` };
    const document = { issuer: provider.url, jwks_uri: `${provider.url}/jwks`, ...endpoints };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers[request.url ?? ''] ?? document));
  });
  const browsing = (env: NodeJS.ProcessEnv = {}) => {
    const session = sessionOf(env);
    const addresses: URL[] = [];
    const { stderr } = session.terminal;
    const write = (text: string) => {
      const address = /https?:\/\/\S+/.exec(text)?.[0];
      if (address !== undefined) {
        const { searchParams } = addresses[addresses.push(new URL(address)) - 1]!;
        nonce = searchParams.get('nonce')!;
        void fetch(`${searchParams.get('redirect_uri')}?code=c0de&state=${searchParams.get('state')}`);
      }
      return stderr.write(text);
    };
    return { ...session, addresses, terminal: { ...session.terminal, stderr: { ...stderr, write } } };
  };
  return { url: provider.url, requests: provider.requests, browsing };
}

test('a token that is handed in says who reviewed, as text, as a file, or in the environment', async () => {
  const file = join(temporaryFolder(onTestFinished), 'token.jwt');
  writeFileSync(file, OF_DANA);
  for (const [flags, env] of [
    [{ identityToken: OF_DANA }, {}],
    [{ identityToken: file, reviewer: DANA }, {}],
    [{}, { SIGSTORE_ID_TOKEN: OF_DANA }],
  ] as const) {
    const signer = await signed(flags, sessionOf(env));
    expect(personOf(signer)).toBe(DANA);
    expect(await signer.identityToken('')).toBe(OF_DANA);
  }
  expect(personOf(await signed({ identityToken: tokenOf({ sub: `reviewer:${DANA}` }) }))).toBe(DANA);
});

test.each<[title: string, claims: object]>([
  ['an agent, whatever address is beside it', { sub: 'agent:code-writer', email: DANA }],
  ['nobody with an address', {}],
  ['an address that is none', { email: 'dana' }],
  ['several addresses', { email: [DANA] }],
  ['a service account', { email: 'ci@acme.iam.gserviceaccount.com', email_verified: true }],
  ['a service account behind our prefix', { sub: 'reviewer:ci@acme.iam.gserviceaccount.com' }],
  ['a bot', { email: '1+ci[bot]@users.noreply.github.com' }],
])('a token of %s reviews nothing', async (_title, claims) => {
  const identityToken = tokenOf(claims);
  const report = await failure(signed({ identityToken }).then(personOf));
  expect(report.code).toBe('cli.reviewer_refused');
  expect(JSON.stringify(report)).not.toContain(identityToken.slice(0, 20));
});

test('a token of another person than --reviewer names is refused', async () => {
  const report = await failure(choose({ identityToken: OF_DANA, reviewer: 'alice@example.com' }));
  expect(report).toMatchObject({ code: 'cli.reviewer_refused', expected: 'alice@example.com', found: DANA });
});

test('a person who names themselves is not replaced by a token that lies in the environment', async () => {
  const session = sessionOf({ SIGSTORE_ID_TOKEN: OF_AGENT });
  const file = reviewerSecretFile(session.env);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'secret');
  expect(await signed({ reviewer: DANA }, session)).toMatchObject({ reviewer: DANA, subject: undefined });
});

test('a login in the browser says who reviewed; it is asked for only when it is needed', async () => {
  const provider = await startProvider();
  const session = provider.browsing();
  const flags = { loginIssuer: provider.url, oidcClientId: 'colophon', reviewer: DANA };
  const later = await choose(flags, session);
  expect(provider.requests).toHaveLength(0);
  expect(personOf(await later())).toBe(DANA);
  expect(session.addresses[0]!.searchParams.get('login_hint')).toBe(DANA);
  expect(session.ran().stdout).toBe('');
  // A token that lies in the environment is somebody else's business.
  const ambient = provider.browsing({ SIGSTORE_ID_TOKEN: OF_AGENT });
  expect(personOf(await signed({ ...flags, reviewer: undefined as never }, ambient))).toBe(DANA);
  const other = failure(signed({ ...flags, reviewer: 'alice@example.com' }, provider.browsing()));
  expect((await other).code).toBe('cli.reviewer_refused');
});

test.each([
  ['on a terminal', true, {}, true],
  ['on a terminal, unless that is not wanted', true, { browser: false }, false],
  ['elsewhere', false, {}, false],
])('the browser is opened %s: %j %j', async (_title, isTTY, more, isOpened) => {
  const folder = temporaryFolder(onTestFinished);
  const opened = join(folder, 'opened');
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\nprintf '%s\\n' "$@" >"${opened}.part" && mv "${opened}.part" "${opened}"\n`,
      {
        mode: 0o755,
      },
    );
  }
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  const provider = await startProvider();
  const session = provider.browsing();
  const terminal = { ...session.terminal, stderr: { ...session.terminal.stderr, isTTY } };
  await signed({ loginIssuer: provider.url, oidcClientId: 'colophon', ...more }, { ...session, terminal });
  for (let wait = 0; isOpened && !existsSync(opened) && wait < 100; wait++) await sleep(20);
  if (!isOpened) await sleep(200);
  expect(existsSync(opened)).toBe(isOpened);
  // One argument, whatever stands in it.
  if (isOpened) expect(readFileSync(opened, 'utf8')).toBe(`${session.addresses[0]!.href}\n`);
});

test('the configuration says where to log in, and as which client', async () => {
  const provider = await startProvider();
  const reviewLogin = { issuer: provider.url, clientId: 'colophon' };
  const session = Object.assign(provider.browsing(), { reviewLogin });
  expect(personOf(await signed({ reviewer: DANA }, session))).toBe(DANA);
  expect(session.addresses[0]!.searchParams.get('client_id')).toBe('colophon');
  expect(personOf(await signed({}, Object.assign(provider.browsing(), { reviewLogin })))).toBe(DANA);
  // A token that is handed in is the nearer one, and so is one of the environment where nobody names themselves.
  const other = Object.assign(sessionOf(), { reviewLogin });
  expect(await signed({ identityToken: OF_DANA }, other)).toMatchObject({ reviewer: DANA });
});

test.each<[title: string, flags: ReviewerFlags]>([
  ['a token and a login', { identityToken: OF_DANA, loginIssuer: 'https://sso.example' }],
  ['a token and a client', { identityToken: OF_DANA, oidcClientId: 'colophon' }],
  ['a client and nowhere to log in', { reviewer: DANA, oidcClientId: 'colophon' }],
  ['nothing', {}],
])('%s: cli.usage', async (_title, flags) => {
  expect((await failure(choose(flags))).code).toBe('cli.usage');
});

test('the certificate has to name the reviewer, and nobody else', () => {
  assertCertified(DANA, DANA);
  assertCertified(DANA, `reviewer:${DANA}`);
  for (const subject of ['CgVkYW5h', `agent:${DANA}`, 'alice@example.com', `reviewer:x${DANA}`]) {
    expect(() => assertCertified(DANA, subject)).toThrow(expect.objectContaining({ code: 'cli.reviewer_refused' }));
  }
});

test.each(['approve', 'reject', 'withdraw'])('review %s says what is missing where nobody is named', async (word) => {
  const others = word === 'withdraw' ? ['--rejection', 'x', '--reason', 'y'] : ['--commit-sha', 'a'.repeat(40)];
  const ran = await runLine(['review', word, ...others, '-o', 'json'], { SIGSTORE_ID_TOKEN: '', COLOPHON_CONFIG: '' });
  const { error } = JSON.parse(ran.stdout);
  expect(error.issues).toMatchObject([{ path: '--reviewer, --identity-token', code: 'cli.option_missing' }]);
});
