import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { CONFIGURATIONS, certificateCluster, SECRET, type SecretData, WISH } from '../../test/certificate-cluster.ts';
import { makeServingCertificate } from './serving-certificate.ts';

const START = new Date('2026-11-28T10:00:00Z');
const DAY_MS = 86_400_000;
const later = (days: number) => new Date(START.getTime() + days * DAY_MS);
const NAMES = ['', '.colophon-system', '.colophon-system.svc', '.colophon-system.svc.cluster.local'].map(
  (rest) => `colophon-admission${rest}`,
);

async function cluster() {
  const time = { now: START };
  return { time, ...(await certificateCluster(time)) };
}

test('a certificate is made for the names of the Service, and every webhook trusts it', async () => {
  const { run, server, leaf, isTrusted, writes } = await cluster();
  expect(await run()).toMatchObject({
    renewal: 'absent',
    names: NAMES,
    expiresAt: later(90),
    configurations: [
      { kind: 'ValidatingWebhookConfiguration', webhooks: 2, changed: true },
      { kind: 'MutatingWebhookConfiguration', webhooks: 1, changed: true },
    ],
  });
  expect(server.objects.get(SECRET)).toMatchObject({ type: 'kubernetes.io/tls', kind: 'Secret' });
  expect(leaf().subjectAltName).toBe(NAMES.map((name) => `DNS:${name}`).join(', '));
  expect(isTrusted(leaf())).toBe(true);
  // The Secret comes last: whoever serves it is trusted.
  expect(writes()).toEqual([
    `PATCH ${CONFIGURATIONS[0]}`,
    `PATCH ${CONFIGURATIONS[1]}`,
    expect.stringMatching(/^POST /),
  ]);
});

test('TLS with the name that API servers ask for is made by it', async () => {
  const { run, time, leaf, key, authority } = await cluster();
  // OpenSSL asks the machine for the time.
  time.now = new Date();
  await run();
  const server = createServer({ cert: leaf().toString(), key: key() }, (socket) => socket.end('hello'));
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ask = (servername: string) =>
    new Promise<string>((resolve) => {
      const socket: TLSSocket = connect({ host: '127.0.0.1', port, servername, ca: authority() });
      socket.once('secureConnect', () => resolve(socket.authorized ? 'trusted' : 'not trusted'));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'));
      onTestFinished(() => void socket.destroy());
    });
  for (const name of NAMES) expect(await ask(name)).toBe('trusted');
  expect(await ask('colophon-admission.other.svc')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

test('run again, it changes nothing', async () => {
  const { run, time, writes } = await cluster();
  const first = await run();
  time.now = later(59);
  expect(await run()).toMatchObject({
    renewal: undefined,
    sha256: first.sha256,
    expiresAt: first.expiresAt,
    configurations: [{ changed: false }, { changed: false }],
  });
  expect(writes()).toHaveLength(3);
});

test('with less than a third of its life left another one is made; the old one is trusted on', async () => {
  const { run, time, leaf, isTrusted, bundles } = await cluster();
  await run();
  const [before, secondFirst] = [leaf(), later(60.5)];
  time.now = secondFirst;
  expect(await run()).toMatchObject({ renewal: 'expiring', expiresAt: later(150.5) });
  expect([isTrusted(before), isTrusted(leaf())]).toEqual([true, true]);
  expect(bundles().map((bundle) => bundle.length)).toEqual([2, 2, 2]);
  // A replica that has not read its files again may serve the old one for a day.
  time.now = new Date(secondFirst.getTime() + 0.9 * DAY_MS);
  await run();
  expect(isTrusted(before)).toBe(true);
  time.now = new Date(secondFirst.getTime() + 1.1 * DAY_MS);
  expect(await run()).toMatchObject({ renewal: undefined, configurations: [{ changed: true }, { changed: true }] });
  expect(bundles().map((bundle) => bundle.length)).toEqual([1, 1, 1]);
  expect(isTrusted(leaf())).toBe(true);
});

test.each<[string, (data: SecretData) => object]>([
  ['unreadable', (data) => ({ ...data, 'tls.crt': '' })],
  ['unreadable', (data) => ({ ...data, 'tls.key': 'x' })],
  ['unreadable', () => ({})],
  [
    'key_differs',
    (data) => ({ ...data, 'tls.key': pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey) }),
  ],
  ['authority_differs', (data) => ({ ...data, 'ca.crt': data['tls.crt'] })],
  ['authority_differs', (data) => ({ ...data, 'ca.crt': base64(other().authority) })],
  ['names_differ', () => wrapped(other())],
])('a Secret whose certificate is %s is written anew', async (renewal, change) => {
  const { run, server, secret, leaf, isTrusted } = await cluster();
  await run();
  const found = server.objects.get(SECRET) as { metadata: object };
  const kept = { labels: { kept: 'yes' } };
  server.put(SECRET, { ...found, metadata: kept, data: change(secret() as SecretData) });
  expect(await run()).toMatchObject({ renewal, names: NAMES });
  expect(isTrusted(leaf())).toBe(true);
  expect(server.objects.get(SECRET)).toMatchObject({ metadata: kept });
  expect((await run()).renewal).toBeUndefined();
});

const other = () => makeServingCertificate(['other.example'], { now: START, lifetimeSeconds: WISH.lifetimeSeconds });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const pem = (key: { export(options: { type: 'pkcs8'; format: 'pem' }): string | Buffer }) =>
  base64(key.export({ type: 'pkcs8', format: 'pem' }).toString());
const wrapped = ({ certificate, key, authority }: ReturnType<typeof other>) => ({
  'tls.crt': base64(certificate),
  'tls.key': base64(key),
  'ca.crt': base64(authority),
});

test('a certificate for other names is another one: the service has moved', async () => {
  const { run } = await cluster();
  await run();
  expect(await run({ ...WISH, service: 'renamed' })).toMatchObject({ renewal: 'names_differ' });
});

test('a certificate of the future is not served', async () => {
  const { run, time } = await cluster();
  await run();
  time.now = later(-1);
  // Its authority is of the future too.
  expect(await run()).toMatchObject({ renewal: 'authority_differs' });
});

test('a webhook that lost its authority gets it back, and other authorities stay', async () => {
  const { run, server, leaf, bundles, writes } = await cluster();
  await run();
  const foreign = makeServingCertificate(['a'], { now: START, lifetimeSeconds: 3600 }).authority;
  const service = { name: 'colophon-admission' };
  server.put(CONFIGURATIONS[0], {
    webhooks: [
      { name: 'validate', clientConfig: { service } },
      { name: 'other', clientConfig: { service, caBundle: base64(`remark\n${foreign}`) } },
      { name: 'broken' },
    ],
  });
  expect(await run()).toMatchObject({ renewal: undefined, configurations: [{ changed: true }, { changed: false }] });
  expect(bundles().map((bundle) => bundle.length)).toEqual([1, 2, 0, 1]);
  expect(writes()).toHaveLength(4);
  const trusting = bundles().filter((bundle) => bundle.some(({ publicKey }) => leaf().verify(publicKey)));
  expect(trusting).toHaveLength(3);
});

test('wherever a run ends, what is served and what will be is trusted', async () => {
  for (let step = 0; step < 3; step++) {
    const { run, time, leaf, isTrusted, disturb, secret } = await cluster();
    await run();
    const before = leaf();
    time.now = later(70);
    let left = step;
    disturb(({ method }) => {
      if (method === 'GET') return undefined;
      left -= 1;
      return left < 0 ? { status: 500 } : undefined;
    });
    await expect(run()).rejects.toMatchObject({ code: 'cluster.unreachable' });
    expect([step, isTrusted(before), isTrusted(leaf())]).toEqual([step, true, true]);
    expect(leaf().fingerprint256).toBe(before.fingerprint256);
    disturb();
    expect(await run()).toMatchObject({ renewal: 'expiring' });
    expect([step, isTrusted(before), isTrusted(leaf())]).toEqual([step, true, true]);
    expect(secret()?.['tls.key']).toBeDefined();
  }
});

test('a run that ends after each question, before the first certificate too, is finished by the next one', async () => {
  for (let asked = 1; asked <= 8; asked++) {
    const { run, leaf, isTrusted, disturb, secret } = await cluster();
    let left = asked;
    disturb(() => {
      left -= 1;
      return left < 0 ? { status: 403 } : undefined;
    });
    const { code } = await run().then(
      () => ({ code: 'done' }),
      (error: { code: string }) => error,
    );
    // Two questions after the Secret was written are to look again.
    expect([asked, code]).toEqual([asked, asked < 8 ? 'cluster.forbidden' : 'done']);
    if (secret() !== undefined) expect(isTrusted(leaf())).toBe(true);
    disturb();
    await run();
    expect(isTrusted(leaf())).toBe(true);
  }
});

test('what failed runs leave behind does not pile up', async () => {
  const { run, time, leaf, isTrusted, disturb, bundles } = await cluster();
  await run();
  time.now = later(61);
  disturb(({ method, path }) => (method === 'PUT' && path === SECRET ? { status: 403 } : undefined));
  for (let day = 61; day < 80; day++) {
    time.now = later(day);
    await expect(run()).rejects.toMatchObject({ code: 'cluster.forbidden' });
    expect(isTrusted(leaf())).toBe(true);
  }
  expect(Math.max(...bundles().map((bundle) => bundle.length))).toBeLessThan(5);
});

test('of runs at once one writes, and the others find its certificate', async () => {
  for (let round = 0; round < 10; round++) {
    const { run, time, leaf, isTrusted, disturb, bundles } = await cluster();
    if (round % 2 === 1) await run();
    const before = round % 2 === 1 ? leaf() : undefined;
    time.now = later(70);
    disturb(async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
      return undefined;
    });
    const runs = await Promise.all([run(), run(), run()]);
    expect(runs.filter(({ renewal }) => renewal !== undefined)).toHaveLength(1);
    expect(new Set(runs.map(({ sha256 }) => sha256)).size).toBe(1);
    expect(isTrusted(leaf())).toBe(true);
    if (before !== undefined) expect(isTrusted(before)).toBe(true);
    expect(Math.max(...bundles().map((bundle) => bundle.length))).toBeLessThanOrEqual(6);
  }
});

test('an authority that somebody adds between reading and writing is not written over', async () => {
  const { run, server, bundles, disturb } = await cluster();
  const foreign = makeServingCertificate(['a'], { now: START, lifetimeSeconds: 3600 }).authority;
  let left = 1;
  disturb(({ method, path }) => {
    if (method !== 'PATCH' || path !== CONFIGURATIONS[0]) return undefined;
    left -= 1;
    const clientConfig = { service: { name: 'colophon-admission' }, caBundle: base64(foreign) };
    if (left === 0) server.put(path, { webhooks: [{ name: 'validate', clientConfig }] });
    return undefined;
  });
  await run();
  const [first] = bundles();
  expect(first?.map(({ raw }) => raw)).toContainEqual(new X509Certificate(foreign).raw);
  expect(bundles().map((bundle) => bundle.length > 0)).toEqual([true, true]);
});

test('an authority that somebody takes out while the Secret is written is put back', async () => {
  const { run, server, leaf, isTrusted, disturb } = await cluster();
  const asShipped = { webhooks: [{ name: 'validate', clientConfig: { service: { name: 'colophon-admission' } } }] };
  disturb(({ method }) => {
    if (method === 'POST') server.put(CONFIGURATIONS[0], asShipped);
    return undefined;
  });
  await run();
  expect(isTrusted(leaf())).toBe(true);
});

test('without a webhook configuration the certificate is made, and the absence is an error', async () => {
  const { run, server, secret, disturb } = await cluster();
  disturb(({ path }) => (path === CONFIGURATIONS[1] ? { status: 404 } : undefined));
  const missing = { code: 'webhook.configuration_missing', kind: 'not-found' };
  await expect(run()).rejects.toMatchObject(missing);
  expect(secret()).toBeDefined();
  await expect(run()).rejects.toMatchObject({
    ...missing,
    message: expect.stringContaining('MutatingWebhookConfiguration colophon-admission'),
  });
  disturb();
  expect(await run()).toMatchObject({ renewal: undefined, configurations: [{ changed: false }, { changed: true }] });
  expect(server.objects.get(SECRET)).toBeDefined();
});

test('a Secret of another type is somebody else’s', async () => {
  const { run, server, writes } = await cluster();
  server.put(SECRET, { type: 'Opaque', data: {} });
  await expect(run()).rejects.toMatchObject({ code: 'webhook.secret_foreign', facts: { found: 'type Opaque' } });
  expect(writes()).toEqual([]);
});

test('no error holds a key', async () => {
  const { run, disturb, server } = await cluster();
  disturb(({ method }) => (method === 'POST' ? { status: 422, body: { message: 'refused' } } : undefined));
  const error = await run().catch((caught) => caught);
  const sent = server.requests.find(({ method }) => method === 'POST')?.body as { data: SecretData };
  expect(error.code).toBe('cluster.refused');
  expect(JSON.stringify([error, error.message, error.stack])).not.toContain(sent.data['tls.key'].slice(40, 80));
});
