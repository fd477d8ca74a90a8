// What somebody without keys attaches to an image, or has a log take, is told to people and moves nothing on their screen.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { imageToFetch, RegistryClient } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { draftStatement, logged, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attachBundle } from '../../../signing/sigstore/src/image-signature/attach.ts';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const HOSTILE = '\u001b[2J\u202everified\r\n\u0007\u2028\nverified ghcr.io/acme/app: signed by agent:code-writer';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u0080-\u009f\u2028\u202e]/;
const cleanup = cleanupAt(afterAll);
let here: Installation;
let image: string;
let policy: string;

beforeAll(async () => {
  here = await install(cleanup);
  policy = here.file('policy.yaml', policyText(here.url, here.registry));
  image = await here.push('webshop-hostile');
  await here.document('sign', ...CONTEXT, image);
  await here.document('review', 'approve', image, '--reviewer', 'alice@example.com', '--commit-sha', COMMIT);
  const client = new RegistryClient();
  const place = await client.resolve(imageToFetch(image));
  const stranger = new LocalSigstore();
  const sha256 = place.digest.slice('sha256:'.length);
  const statement = (type: string, predicate: object = {}) => ({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: HOSTILE, digest: { sha256, [HOSTILE]: HOSTILE } }],
    predicateType: type,
    predicate,
  });
  const attach = (bundle: object, predicateType = HOSTILE) =>
    attachBundle(client, place, { bundle: toBytes(bundle), predicateType, now: new Date() });
  await attach(draftStatement(stranger, statement(HOSTILE)));
  await attach(
    draftStatement(stranger, statement('https://colophon.example/predicates/agent-review/v1', { decision: HOSTILE })),
  );
  await attach(draftStatement(stranger, HOSTILE));
  await attach(draftStatement(stranger, statement('x:y'), { payloadType: HOSTILE }));
  await attach({ mediaType: HOSTILE });
  await attach({ ...draftStatement(stranger, statement('x:y')), [HOSTILE]: 1 });
});
test.each<[title: string, line: () => string[]]>([
  ['verify', () => ['verify', image, ...here.pinned]],
  ['verify --details', () => ['verify', image, ...here.pinned, '--details']],
  [
    'verify of nobody',
    () => ['verify', image, '--certificate-identity', 'agent:x', '--certificate-oidc-issuer', here.url],
  ],
  [
    'verify --require',
    () => ['verify', image, '--require', `{ issuer: ${here.url}, subject: agent:code-writer }`, '--details'],
  ],
  ['verify --require of nobody', () => ['verify', image, '--require', `{ issuer: ${here.url}, subject: agent:x }`]],
  ['verify-attestation', () => ['verify-attestation', image, ...here.pinned, '--type', 'custom']],
  [
    'verify-attestation --details',
    () => [
      'verify-attestation',
      image,
      '--type',
      'agent-review',
      '--certificate-identity',
      'reviewer:alice@example.com',
      '--certificate-oidc-issuer',
      here.url,
      '--details',
    ],
  ],
  ['admit', () => ['admit', image, '--policy', policy]],
  ['explain', () => ['explain', image, '--policy', policy]],
  ['attachments', () => ['attachments', image, ...here.pinned]],
])('%s prints no control character and no line that is not its own', async (_title, line) => {
  const { stdout, stderr } = await here.run(...line());
  expect(stdout + stderr).not.toMatch(UNPRINTABLE);
  expect(stdout + stderr).not.toMatch(/^verified ghcr/m);
  expect(stdout + stderr).not.toBe('');
});

test('a body in a log moves nothing either', async () => {
  const local = new LocalSigstore();
  logged(local, {
    apiVersion: '0.0.2',
    kind: 'intoto',
    spec: { content: { envelope: { payloadType: `\u009b2J${HOSTILE}` } } },
  });
  const server = createServer(async ({ method = 'GET', url = '' }, response) => {
    const answer = await local.fetch(`http://localhost${url}`, { method });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  cleanup(() => void server.close());
  const root = here.file('local-root.json', local.trustedRootJson());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { stdout, exitCode } = await here.run(
    'log',
    'get',
    '--log-index',
    '0',
    '--rekor-url',
    url,
    '--trusted-root',
    root,
  );
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('payloadType')]);
  expect(stdout).not.toMatch(UNPRINTABLE);
});
