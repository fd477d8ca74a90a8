import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { temporaryFolder } from '@colophon/testkit';
import { emailName, LocalSigstore, uriName } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, onTestFinished, test } from 'vitest';
import { runLine } from './command-line.ts';

const DANA = 'dana@example.com';
const SSO = 'https://sso.example';
const CONFIGURATION = '/api/v2/configuration';

/** An authority and a log on loopback; the authority challenges this claim, and certifies this name. */
async function startServices(challengeClaim: 'sub' | 'email', name: Uint8Array) {
  const local = new LocalSigstore();
  local.challengeClaim = challengeClaim;
  const issue = local.issue.bind(local);
  local.issue = (publicKey) => issue(publicKey, { claims: { iss: SSO }, sans: [name] });
  const usual = local.answer.bind(local);
  local.answer = (method, url, body) =>
    url.pathname === CONFIGURATION
      ? Response.json({ issuers: [{ issuerUrl: SSO, challengeClaim }] })
      : usual(method, url, body);
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '' } = request;
    const body = await buffer(request);
    const init = method === 'GET' ? {} : { body: body.toString() };
    const answer = await local.fetch(`http://localhost${url}`, {
      method,
      ...init,
      headers: { accept: 'application/json' },
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = local.token({ iss: SSO, sub: 'CgVkYW5h', email: DANA, email_verified: true } as never);
  return { local, url, token };
}

async function approve(challengeClaim: 'sub' | 'email', name: Uint8Array) {
  const { local, url, token } = await startServices(challengeClaim, name);
  const folder = temporaryFolder(onTestFinished);
  const artifact = join(folder, 'app');
  writeFileSync(artifact, 'x');
  const bundle = join(folder, 'bundle.json');
  const services = ['--fulcio-url', url, '--rekor-url', url, '--no-evidence', '--bundle', bundle];
  const line = ['review', 'approve', artifact, '--commit-sha', 'a'.repeat(40), '--identity-token', token, ...services];
  const ran = await runLine([...line, '-o', 'json'], { COLOPHON_HOME: folder });
  return {
    document: JSON.parse(ran.stdout),
    exitCode: ran.exitCode,
    logged: local.log.size,
    isWritten: existsSync(bundle),
  };
}

test('a review whose certificate names the reviewer’s address is logged', async () => {
  const { exitCode, document, logged, isWritten } = await approve('email', emailName(DANA));
  expect(exitCode, JSON.stringify(document)).toBe(0);
  expect(document.signatures[0].certificate_identity).toMatchObject({
    subject: DANA,
    subject_type: 'email',
    issuer: SSO,
  });
  expect([logged, isWritten]).toEqual([1, true]);
});

test.each<[title: string, claim: 'sub' | 'email', name: () => Uint8Array, code: string]>([
  ['the subject of the token', 'sub', () => uriName('CgVkYW5h'), 'cli.reviewer_refused'],
  ['somebody else, by their subject', 'sub', () => emailName('mallory@example.com'), 'cli.reviewer_refused'],
  ['somebody else', 'email', () => emailName('mallory@example.com'), 'signing.certificate_not_ours'],
])('a review whose certificate names %s is not', async (_title, claim, name, code) => {
  const { exitCode, document, logged, isWritten } = await approve(claim, name());
  expect(exitCode).toBeGreaterThan(0);
  expect(document.error.code).toBe(code);
  expect([logged, isWritten]).toEqual([0, false]);
});
