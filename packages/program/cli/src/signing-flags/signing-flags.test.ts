import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigningConfig } from '@colophon/sigstore';
import { startPeer, temporaryFolder } from '@colophon/testkit';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { recordingSession, runLine } from '../../test/command-line.ts';
import { reportOf } from '../report/report.ts';
import { assertSigner, readSignerIdentity, type SigningFlags, signingServices } from './signing-flags.ts';

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZ2VudDp4In0.c2lnbmF0dXJl';
/** Thumbprint of the key that is about to sign. */
const JKT = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';
const FLAGS: SigningFlags = { evidence: true };
const newFolder = () => temporaryFolder(onTestFinished);
const sessionOf = (env: NodeJS.ProcessEnv = {}) => recordingSession({ COLOPHON_HOME: newFolder(), ...env });

const services = (flags: Partial<SigningFlags>, env?: NodeJS.ProcessEnv) =>
  signingServices({ ...FLAGS, ...flags }, new Command(), sessionOf(env));
const tokens = async (flags: Partial<SigningFlags>, env?: NodeJS.ProcessEnv, session = sessionOf(env)) =>
  assertSigner(await readSignerIdentity({ ...FLAGS, ...flags }, new Command(), session)).token;

function signingConfig(url: string): string {
  const file = join(newFolder(), 'signing_config.json');
  const config = createSigningConfig(
    { fulcioUrl: url, oidcUrl: url, rekorUrl: url, rekorMajorVersion: 1 },
    new Date('2026-01-01T00:00:00Z'),
    'test',
  );
  writeFileSync(file, JSON.stringify(config));
  return file;
}

test('services come from the URLs, the signing config of the flag, or that of the environment', async () => {
  const urls = { fulcioUrl: 'https://ca.example', rekorUrl: 'https://log.example' };
  expect(await services({ ...urls, timestampServerUrl: 'https://tsa.example' })).toEqual({
    ...urls,
    rekorMajorVersion: 1,
    tsaUrl: 'https://tsa.example',
  });
  const file = signingConfig('https://all.example');
  expect(await services({ signingConfig: file })).toMatchObject({ fulcioUrl: 'https://all.example' });
  expect(await services({}, { COLOPHON_SIGNING_CONFIG: file })).toMatchObject({ rekorUrl: 'https://all.example' });
});

test.each([
  [{ fulcioUrl: 'https://a' }, 'cli.usage'],
  [{ rekorUrl: 'https://a' }, 'cli.usage'],
  [{ fulcioUrl: 'https://a', rekorUrl: 'https://b', signingConfig: 'x' }, 'cli.usage'],
  [{ signingConfig: '/nowhere' }, 'cli.file_unreadable'],
  [{}, 'cli.no_signing_services'],
])('%j does not say where to sign: %s', async (flags, code) => {
  await expect(services(flags, { COLOPHON_SIGNING_CONFIG: '' })).rejects.toMatchObject({ code, kind: 'usage' });
});

test.each(['', '{}', '[]', '{"mediaType":"application/vnd.dev.sigstore.signingconfig.v0.2+json"}'])(
  'a signing config that holds %j is refused with its file',
  async (text) => {
    const file = join(newFolder(), 'signing_config.json');
    writeFileSync(file, text);
    const error = await services({ signingConfig: file }).catch((thrown: unknown) => thrown);
    expect(reportOf(error)).toMatchObject({ code: 'signing.config_invalid', checked: file });
  },
);

test.each(['https://rekor.sigstore.dev', 'https://log2025-1.rekor.sigstore.dev', 'https://REKOR.sigstore.dev'])(
  'nothing goes to the public log %s unless that is said',
  async (rekorUrl) => {
    const flags = { fulcioUrl: 'https://fulcio.sigstore.dev', rekorUrl };
    await expect(services(flags)).rejects.toMatchObject({ code: 'cli.public_log_refused', kind: 'usage' });
    expect(await services({ ...flags, allowPublicLog: true })).toMatchObject({ rekorUrl });
  },
);

test.each(['https://sigstore.dev.example', 'https://notsigstore.dev'])('%s is no public log', async (rekorUrl) => {
  await services({ fulcioUrl: 'https://a', rekorUrl });
});

test.each(['--issuer', '--oidc-issuer', '--fulcio-url', '--rekor-url', '--timestamp-server-url'])(
  'colophon sign-blob %s takes an address and nothing else',
  async (flag) => {
    for (const value of ['', 'localhost:7080', 'file:///etc/passwd', 'https://user:pw@a.example']) {
      const ran = await runLine(['sign-blob', 'file', flag, value, '--output=json']);
      expect(ran.exitCode).toBe(1);
      expect(JSON.parse(ran.stdout).error.code).toBe('cli.usage');
    }
  },
);

test('a token is used as it is handed in: as text, as a file, or in the environment', async () => {
  const file = join(newFolder(), 'token.jwt');
  writeFileSync(file, `${TOKEN}\n`);
  expect(await (await tokens({ identityToken: TOKEN }))(JKT)).toBe(TOKEN);
  expect(await (await tokens({ identityToken: file }))(JKT)).toBe(TOKEN);
  expect(await (await tokens({}, { SIGSTORE_ID_TOKEN: TOKEN }))(JKT)).toBe(TOKEN);
  expect(await (await tokens({}, { SIGSTORE_ID_TOKEN: file }))(JKT)).toBe(TOKEN);
});

test.each([TOKEN.slice(0, -44), `${TOKEN}.${TOKEN}`, `${TOKEN}!`, 'x'.repeat(2000), '/nowhere', '/dev/zero', '/'])(
  'what is neither a token nor the file of one is refused, and not repeated (%#)',
  async (identityToken) => {
    const error = await tokens({ identityToken }).catch((thrown: unknown) => thrown);
    expect(reportOf(error)).toMatchObject({ code: 'cli.file_unreadable' });
    if (identityToken.length > 20) expect(JSON.stringify(reportOf(error))).not.toContain(identityToken.slice(0, 20));
  },
);

test('a file that holds something else than a token is refused, and its content is not repeated', async () => {
  const file = join(newFolder(), 'secret');
  writeFileSync(file, 'hunter2');
  const error = await tokens({ identityToken: file }).catch((thrown: unknown) => thrown);
  expect(reportOf(error)).toMatchObject({ code: 'cli.file_unreadable' });
  expect(JSON.stringify(reportOf(error))).not.toContain('hunter2');
});

test('one token for several artifacts is remarked on once', async () => {
  const session = sessionOf();
  const next = await tokens({ identityToken: TOKEN }, {}, session);
  await next(JKT);
  expect(session.ran().stderr).toBe('');
  await next(JKT);
  await next(JKT);
  expect(session.ran().stderr.match(/note:/g)).toHaveLength(1);
  expect(session.ran().stderr).not.toContain(TOKEN);
});

const CONTEXT = {
  agentName: 'a',
  agentVersion: '1',
  modelId: 'm',
  promptHash: 'p',
  policyPackHash: 'k',
  humanReviewer: 'e',
};

test('from a context a new token is minted for every artifact', async () => {
  const issuer = await startPeer(onTestFinished, (_request, response) => response.end(TOKEN));
  const next = await tokens(CONTEXT, { COLOPHON_ISSUER: issuer.url, SIGSTORE_ID_TOKEN: 'not.looked.at' });
  expect(issuer.requests).toHaveLength(0);
  await next(JKT);
  await next(JKT);
  const [first, second] = issuer.requests.map(({ body }) => JSON.parse(body));
  expect(first).toMatchObject({ agent_name: 'a', human_reviewer: 'e', dpop_jkt: JKT });
  expect(second).toEqual(first);
});

test('a context that names a key keeps it: the token is for nobody else', async () => {
  const issuer = await startPeer(onTestFinished, (_request, response) => response.end(TOKEN));
  const file = join(newFolder(), 'context.json');
  const { agentName: agent_name, agentVersion: agent_version, modelId: model_id } = CONTEXT;
  const request = { agent_name, agent_version, model_id, prompt_hash: 'p', policy_pack_hash: 'k', human_reviewer: 'e' };
  writeFileSync(file, JSON.stringify({ ...request, dpop_jkt: 'A'.repeat(43) }));
  await (await tokens({ context: file }, { COLOPHON_ISSUER: issuer.url }))(JKT);
  expect(JSON.parse(issuer.requests[0]!.body)).toMatchObject({ dpop_jkt: 'A'.repeat(43) });
});

test('a token beside a context would say twice who ran', async () => {
  await expect(tokens({ identityToken: TOKEN, agentName: 'a' })).rejects.toMatchObject({ code: 'cli.usage' });
  const withDefault = await tokens({ identityToken: TOKEN }, { COLOPHON_CONTEXT: '/nowhere' });
  expect(await withDefault(JKT)).toBe(TOKEN);
});

test('neither token nor context is told with what there could be', async () => {
  await expect(tokens({}, { SIGSTORE_ID_TOKEN: '' })).rejects.toMatchObject({
    code: 'cli.context_invalid',
    kind: 'usage',
    facts: { expected: expect.stringMatching('--agent-name') },
  });
});

test('a context without an issuer is told before anything is read or sent', async () => {
  await expect(tokens(CONTEXT)).rejects.toMatchObject({ code: 'cli.no_issuer' });
});
