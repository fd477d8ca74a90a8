import { type ApiRequest, startApiServer, type WrongApiAnswer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const SECRET = '/api/v1/namespaces/colophon-system/secrets/colophon-admission-tls';

async function cluster(before?: (request: ApiRequest) => WrongApiAnswer | undefined) {
  const server = await startApiServer(onTestFinished, before && { before });
  const put = (name: string) => {
    for (const kind of ['validating', 'mutating']) {
      const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/${name}`;
      server.put(path, { webhooks: [{ name: 'a.example', clientConfig: {} }] });
    }
  };
  put('colophon-admission');
  const run = (...more: string[]) => runLine(['admission', 'certificates', '--server', server.url, ...more], {});
  return { server, put, run };
}

test('a person reads what was made, and that nothing is due', async () => {
  const { run } = await cluster();
  const first = await run();
  expect(first.exitCode).toBe(0);
  expect(first.stdout).toMatch(/certificate +made \(absent\), expires \d{4}-\d\d-\d\dT/);
  expect(first.stdout).toMatch(/MutatingWebhookConfiguration +colophon-admission: 1 webhook, changed/);
  expect((await run()).stdout).toMatch(/certificate +as it was, expires/);
});

test('names and lifetime are those of the flags', async () => {
  const { server, put, run } = await cluster();
  put('guard');
  const names = [
    '--namespace',
    'security',
    '--service',
    'gate',
    '--secret',
    'gate-tls',
    '--webhook-configuration',
    'guard',
  ];
  const begun = Date.now();
  const result = documentOf(await run(...names, '--lifetime', '30d', '--output', 'json'));
  expect(result).toMatchObject({ namespace: 'security', secret: 'gate-tls', renewed: true, reason: 'absent' });
  expect(result.names).toContain('gate.security.svc');
  const days = (Date.parse(result.expires_at) - begun) / 86_400_000;
  expect(days).toBeCloseTo(30, 2);
  expect(server.objects.has('/api/v1/namespaces/security/secrets/gate-tls')).toBe(true);
  expect(server.objects.has(SECRET)).toBe(false);
});

test.each([
  [['--namespace', 'A']],
  [['--namespace', '..']],
  [['--service', 'a.b']],
  [['--secret', 'a/b']],
  [['--webhook-configuration', '']],
  [['--lifetime', '5d']],
  [['--lifetime', '398d']],
  [['--lifetime', 'soon']],
  [['--server', 'http://10.0.0.1']],
])('%j is a mistake', async (flags) => {
  const { server, run } = await cluster();
  expect((await run(...flags)).exitCode).toBe(1);
  expect(server.requests).toEqual([]);
});

test('outside of a cluster the next command is named', async () => {
  const { exitCode, stderr } = await runLine(['admission', 'certificates'], {});
  expect(exitCode).toBe(1);
  expect(stderr).toContain('cluster.not_configured');
  expect(stderr).toContain('kubectl proxy');
});

test.each([
  [403, 4, 'cluster.forbidden'],
  [503, 3, 'cluster.unreachable'],
])('an API server that answers %i ends the program with %i', async (status, exit, code) => {
  const { run } = await cluster(({ method }) => (method === 'GET' ? undefined : { status }));
  const { exitCode, stderr } = await run();
  expect([exitCode, stderr]).toEqual([exit, expect.stringContaining(code)]);
});
