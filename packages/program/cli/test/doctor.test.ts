import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { createSigningConfig, createTrustedRoot } from '@colophon/sigstore';
import { deadUrl, temporaryFolder } from '@colophon/testkit';
import { certificateOf, spkiOf, tbsOf, toPem } from '@colophon/testkit/local-sigstore/certificate-writer';
import { LocalSigstore, uriName } from '@colophon/testkit/local-sigstore/local-sigstore';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runLine } from './command-line.ts';

/** What a service answers on one path instead of the usual. */
type Answers = Readonly<Record<string, (usual: () => Response) => Response | Promise<Response>>>;

/** What is wrong in one place; everything else is in order. */
type Seed = {
  readonly answers?: Answers;
  /** Milliseconds that the services' clock is ahead, by the first word of the path. */
  readonly clock?: (path: string) => number;
  readonly certificates?: Parameters<LocalSigstore['issue']>[1];
  // biome-ignore lint/suspicious/noExplicitAny: taken apart in every way
  readonly root?: (root: any) => void;
  readonly insecureIgnoreSct?: boolean;
  readonly services?: (services: {
    fulcioUrl: string;
    rekorUrl: string;
    tsaUrl?: string;
    rekorMajorVersion: 1 | 2;
  }) => unknown;
  readonly issuer?: (url: string) => string | Promise<string>;
  readonly registry?: string | Promise<string>;
  readonly sign?: boolean;
};

const json = (value: unknown, status = 200) => Response.json(value, { status });
const otherKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
const changed = async (usual: () => Response, change: (value: never) => unknown) =>
  json(change((await usual().json()) as never));

/** Issuer, Fulcio, Rekor v1 and timestamp authority at one address, with real cryptography, and the seed. */
async function company({ answers = {}, clock = () => 0, certificates }: Seed) {
  const local = new LocalSigstore();
  // Logs count whole seconds.
  local.now = new Date(Math.floor(Date.now() / 1000) * 1000);
  const issue = local.issue.bind(local);
  local.issue = (key, options) => issue(key, { ...options, ...certificates });
  let url = '';
  const usual = (method: string, path: string, body: string): Response => {
    if (path === '/.well-known/openid-configuration')
      return json({ issuer: url, jwks_uri: `${url}/jwks`, id_token_signing_alg_values_supported: ['RS256'] });
    if (path === '/jwks') return json({ keys: [{ kty: 'RSA', alg: 'RS256', kid: 'k' }] });
    if (path === '/api/v2/configuration')
      return json({ issuers: [{ issuerUrl: url, audience: 'sigstore', challengeClaim: 'sub' }] });
    if (path === '/api/v2/trustBundle')
      return json({ chains: [{ certificates: [toPem(local.intermediateCertificate), toPem(local.rootCertificate)] }] });
    if (path === '/api/v1/log/publicKey') return new Response(toPem(spkiOf(local.log.keys.publicKey), 'PUBLIC KEY'));
    if (path === '/v2/colophon-doctor/manifests/none') return json({}, 404);
    return local.answer(method, new URL(path, 'http://localhost'), body);
  };
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    const path = request.url ?? '';
    const body = bytes.toString(path === '/api/v1/timestamp' ? 'base64' : 'utf8');
    const made = () => usual(request.method ?? '', path, body);
    const answer = (await answers[path]?.(made)) ?? made();
    response.setHeader('date', new Date(Date.now() + clock(path)).toUTCString());
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return { local, url };
}

/** Runs the doctor over services and files that are in order but for the seed. */
async function examined(seed: Seed) {
  const { local, url } = await company(seed);
  const folder = temporaryFolder(onTestFinished);
  mkdirSync(join(folder, 'home'));
  const written = createTrustedRoot({
    certificateChain: toPem(local.intermediateCertificate) + toPem(local.rootCertificate),
    fulcioUrl: url,
    ctPublicKey: spkiOf(local.ct.publicKey),
    rekorPublicKey: spkiOf(local.log.keys.publicKey),
    rekorUrl: url,
    validFrom: new Date('2026-01-01T00:00:00Z'),
    timestampAuthority: {
      url: `${url}/api/v1/timestamp`,
      certificateChain: toPem(local.tsaCertificate) + toPem(local.tsaRootCertificate),
    },
  });
  const root = JSON.parse(JSON.stringify(written));
  seed.root?.(root);
  const services = { fulcioUrl: url, rekorUrl: url, rekorMajorVersion: 1 as const, tsaUrl: `${url}/api/v1/timestamp` };
  const changedServices = { ...services, ...(seed.services?.(services) as object) };
  const issuer = (await seed.issuer?.(url)) ?? url;
  const config = createSigningConfig(changedServices, new Date('2026-01-01T00:00:00Z'), 'company');
  writeFileSync(join(folder, 'trusted_root.json'), JSON.stringify(root));
  writeFileSync(join(folder, 'signing_config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'token.jwt'), local.token({ iss: issuer, sub: 'agent:code-writer' }));
  writeFileSync(
    join(folder, 'colophon.yaml'),
    `issuer: ${issuer}
trust:
  roots: [{ name: company, file: trusted_root.json, insecureIgnoreSct: ${seed.insecureIgnoreSct ?? false} }]
  signingConfig: signing_config.json
`,
  );
  const registry = await (seed.registry ?? url.replace('http://', ''));
  const sign = seed.sign ? ['--sign', '--identity-token', join(folder, 'token.jwt')] : [];
  const line = [
    'doctor',
    '--config',
    join(folder, 'colophon.yaml'),
    '--registry',
    registry,
    ...sign,
    '--output',
    'json',
  ];
  const ran = await runLine(line, { HOME: join(folder, 'home'), PATH: '' });
  const document = JSON.parse(ran.stdout);
  expect(document, ran.stdout).toHaveProperty('findings');
  // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
  const faults = document.findings.filter(({ state }: any) => state === 'fault');
  return { exitCode: ran.exitCode, document, faults };
}

test('services that are in order have nothing wrong with them, up to a signed probe', async () => {
  const { exitCode, document, faults } = await examined({ sign: true });
  expect(faults).toEqual([]);
  expect([exitCode, document.ok]).toEqual([0, true]);
  const states = Object.fromEntries(
    document.findings.map(({ probe, state }: Record<string, string>) => [probe, state]),
  );
  expect(states).toEqual({
    ...{ roots: 'ok', clock: 'ok', issuer: 'ok', authority: 'ok', log: 'ok' },
    ...{ timestamps: 'ok', registry: 'ok', programs: 'ok', signature: 'ok' },
  });
});

test('services whose clocks agree are named in one order, whichever answers last', async () => {
  const late = async (usual: () => Response) => {
    await setTimeout(200);
    return usual();
  };
  const answers = { '/.well-known/openid-configuration': late, '/jwks': late, '/api/v2/configuration': late };
  const { document } = await examined({ answers });
  expect(document.findings).toContainEqual({
    probe: 'clock',
    state: 'ok',
    message: 'agrees with issuer, certificate authority, log, timestamp authority',
  });
});

/** Faults, the codes under which they are named, the file to change, and how the command ends. */
const SEEDS: ReadonlyArray<
  readonly [title: string, seed: Seed, codes: string[], file: RegExp | undefined, exitCode?: number | undefined]
> = [
  [
    'an issuer that is down',
    {
      issuer: deadUrl,
    },
    ['doctor.issuer_unreachable', 'doctor.issuer_not_trusted'],
    undefined,
  ],
  [
    'an issuer with a slash too many',
    { issuer: (url) => `${url}/` },
    ['doctor.issuer_differs', 'doctor.issuer_not_trusted'],
    /fulcio\.yaml/,
  ],
  [
    'a key set without a key for the algorithm',
    { answers: { '/jwks': () => json({ keys: [{ kty: 'EC', alg: 'ES256' }] }) } },
    ['doctor.issuer_keys'],
    undefined,
  ],
  ['a key set that fails', { answers: { '/jwks': () => json({}, 500) } }, ['doctor.issuer_keys'], undefined],
  [
    'an authority that is down',
    { services: () => ({ fulcioUrl: 'http://127.0.0.1:9' }) },
    ['doctor.authority_unreachable'],
    /signing_config\.json$/,
    3,
  ],
  [
    'an authority that is down, also to a signature',
    { services: () => ({ fulcioUrl: 'http://127.0.0.1:9' }), sign: true },
    ['doctor.authority_unreachable', 'doctor.signature_refused'],
    undefined,
    3,
  ],
  [
    'an authority that is another service',
    { answers: { '/api/v2/configuration': () => json({}, 404) } },
    ['doctor.authority_unknown'],
    /signing_config\.json$/,
  ],
  [
    'an authority that shows no certificates',
    { answers: { '/api/v2/trustBundle': () => json({}, 404) } },
    ['doctor.authority_unknown'],
    /signing_config\.json$/,
  ],
  [
    'an authority whose certificates are none',
    { answers: { '/api/v2/trustBundle': () => json({ chains: [{ certificates: ['none'] }] }) } },
    ['doctor.authority_unknown'],
    /signing_config\.json$/,
  ],
  [
    'an authority that does not know the issuer',
    { answers: { '/api/v2/configuration': () => json({ issuers: [] }) } },
    ['doctor.issuer_not_trusted'],
    /fulcio\.yaml/,
  ],
  [
    'an authority with another audience',
    {
      answers: {
        '/api/v2/configuration': (usual) =>
          changed(usual, ({ issuers: [one] }: { issuers: object[] }) => ({
            issuers: [{ ...one, audience: 'fulcio' }],
          })),
      },
    },
    ['doctor.audience_differs'],
    /fulcio\.yaml/,
  ],
  [
    'an issuer of type email at the authority',
    {
      answers: {
        '/api/v2/configuration': (usual) =>
          changed(usual, ({ issuers: [one] }: { issuers: object[] }) => ({
            issuers: [{ ...one, challengeClaim: 'email' }],
          })),
      },
    },
    ['doctor.challenge_differs'],
    /fulcio\.yaml/,
  ],
  [
    'an authority with a new root',
    {
      answers: {
        '/api/v2/trustBundle': () => json({ chains: [{ certificates: [toPem(new LocalSigstore().rootCertificate)] }] }),
      },
    },
    ['doctor.authority_not_pinned'],
    /trusted_root\.json$/,
  ],
  [
    'a log that is down',
    { services: () => ({ rekorUrl: 'http://127.0.0.1:9' }) },
    ['doctor.log_unreachable'],
    /signing_config\.json$/,
    3,
  ],
  [
    'a log of another version',
    { services: () => ({ rekorMajorVersion: 2 }) },
    ['doctor.log_version'],
    /signing_config\.json$/,
  ],
  [
    'a log with another key',
    { answers: { '/api/v1/log/publicKey': () => new Response(toPem(spkiOf(otherKey()), 'PUBLIC KEY')) } },
    ['doctor.log_not_pinned'],
    /trusted_root\.json$/,
  ],
  [
    'a log of Rekor v2 and no timestamp authority',
    {
      services: () => ({ rekorMajorVersion: 2, tsaUrl: undefined }),
      answers: { '/api/v1/log/publicKey': () => json({}, 404), '/api/v2/log/entries': () => json({}, 400) },
    },
    ['doctor.timestamps_missing'],
    /signing_config\.json$/,
  ],
  [
    'a timestamp authority that is down',
    { answers: { '/api/v1/timestamp': () => json({}, 503) } },
    ['doctor.timestamps_unreachable'],
    /signing_config\.json$/,
    3,
  ],
  [
    'a timestamp authority at another path',
    { services: ({ tsaUrl }) => ({ tsaUrl: tsaUrl?.replace('/v1/', '/') }) },
    ['doctor.timestamps_unreachable'],
    /signing_config\.json$/,
    3,
  ],
  [
    'a timestamp authority that is not pinned',
    { root: (root) => delete root.timestampAuthorities },
    ['doctor.timestamps_not_pinned'],
    /trusted_root\.json$/,
  ],
  [
    'an authority with a wrong clock',
    { clock: (path) => (path.startsWith('/api/v2/') ? 3_600_000 : 0) },
    ['doctor.clock_differs'],
    undefined,
  ],
  [
    'a machine with a wrong clock',
    { clock: () => -3_600_000, services: () => ({ tsaUrl: undefined }) },
    ['doctor.clock_differs'],
    undefined,
  ],
  [
    'a root whose authority ended',
    { root: (root) => (root.certificateAuthorities[0].validFor.end = '2026-02-01T00:00:00Z') },
    ['doctor.root_expired'],
    /trusted_root\.json$/,
  ],
  [
    'a root whose log ended',
    { root: (root) => (root.tlogs[0].publicKey.validFor.end = '2026-02-01T00:00:00Z') },
    ['doctor.root_expired'],
    /trusted_root\.json$/,
  ],
  ['a registry that is down', { registry: '127.0.0.1:9' }, ['doctor.registry_unreachable'], undefined, 3],
  [
    'a registry that wants credentials',
    { answers: { '/v2/colophon-doctor/manifests/none': () => json({}, 401) } },
    ['doctor.registry_unauthorized'],
    /config\.json$/,
  ],
  [
    'certificates without timestamp, under a root with a CT log',
    { certificates: { sctBy: 'nobody' }, sign: true },
    ['doctor.ct_log_missing'],
    /trusted_root\.json$/,
  ],
  [
    'certificates without timestamp, and a root without CT log that is not said to have none',
    { certificates: { sctBy: 'nobody' }, root: (root) => (root.ctlogs = []), sign: true },
    ['doctor.ct_log_missing'],
    /colophon\.yaml$/,
  ],
  [
    'timestamps of a CT log that is not pinned',
    { certificates: { sctBy: 'stranger' }, sign: true },
    ['doctor.ct_log_unknown'],
    /trusted_root\.json$/,
  ],
  [
    'an authority that names somebody else',
    { certificates: { sans: [uriName('agent:somebody-else')] }, sign: true },
    ['doctor.certificate_mapping'],
    /fulcio\.yaml/,
  ],
  [
    'an authority that refuses the token',
    { answers: { '/api/v2/signingCert': () => json({ message: 'no' }, 400) }, sign: true },
    ['doctor.signature_refused'],
    /fulcio\.yaml/,
  ],
];

test('services whose certificates this machine does not accept are no services that are down', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const day = (more: number) => new Date(Date.now() + more * 24 * 3600 * 1000);
  const names = { subject: 'localhost', issuer: 'localhost', notBefore: day(-1), notAfter: day(1) };
  const cert = toPem(certificateOf(tbsOf({ ...names, publicKey, extensions: [] }), privateKey));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const server = createTlsServer({ cert, key }, (_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const { exitCode, faults } = await examined({
    issuer: () => url,
    services: () => ({ fulcioUrl: url, rekorUrl: url, tsaUrl: `${url}/api/v1/timestamp` }),
    registry: url.replace('https://', ''),
  });
  expect(exitCode).toBe(20);
  for (const probe of ['issuer', 'authority', 'log', 'timestamps']) {
    expect(faults.find((one: { probe: string }) => one.probe === probe)).toMatchObject({
      code: 'doctor.tls_refused',
      found: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      file: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    });
  }
});

describe('colophon doctor names', () => {
  test.each(SEEDS.map(([title, ...rest]) => [title, rest] as const))(
    '%s',
    async (_title, [seed, codes, file, exitCode = 20]) => {
      const ran = await examined(seed);
      expect(ran.faults.map(({ code }: { code: string }) => code)).toEqual(codes);
      expect([ran.exitCode, ran.document.ok]).toEqual([exitCode, false]);
      const shown = ran.faults.at(-1);
      if (file === undefined) expect(shown.file ?? '').not.toMatch(/trusted_root|signing_config/);
      else expect(shown.file).toMatch(file);
      expect(shown.advice).toBeTruthy();
    },
  );
});
