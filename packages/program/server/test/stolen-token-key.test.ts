import { generateKeyPairSync, randomUUID, sign, X509Certificate } from 'node:crypto';
import { eraseToken } from '@colophon/issuer';
import { openKeyFile } from '@colophon/keys';
import { openDatabase } from '@colophon/store';
import { encodeSegment, SIX_FIELDS } from '@colophon/testkit';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { tokenKeyRing } from '../src/data-folder/data-folder.ts';
import { json, runServer, type TestServer } from './running-server.ts';

/** Of a thief who has the issuer's key, and nothing else of this machine. */
let forge: (claims: object | string) => string;
let server: TestServer;
let token: string;
let claims: Record<string, unknown>;

const undo: Array<() => void | Promise<void>> = [];
beforeAll(async () => {
  server = await runServer((one) => void undo.unshift(one));
  return async () => {
    for (const one of undo) await one();
  };
});

beforeEach(async () => {
  token = await (await server.mint()).text();
  claims = payloadOf(token);
  const { firstKey, alg } = tokenKeyRing(server.dataDir, 'RS256');
  const key = openKeyFile(firstKey, alg);
  forge = (payload) => {
    const input = `${encodeSegment({ alg, kid: key.kid, typ: 'JWT' })}.${encodeSegment(payload)}`;
    return `${input}.${Buffer.from(key.signJose(Buffer.from(input))).toString('base64url')}`;
  };
});

function payloadOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString());
}

/** Asks for a certificate as every client does; answers with the certificate's name, or with the code of the refusal. */
async function certify(identityToken: string, on = server): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const proof = sign('sha256', Buffer.from(String(payloadOf(identityToken)['sub'])), privateKey);
  const answer = await fetch(`${on.url}/api/v2/signingCert`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      credentials: { oidcIdentityToken: identityToken },
      publicKeyRequest: {
        publicKey: { algorithm: 'ECDSA', content: publicKey.export({ type: 'spki', format: 'pem' }) },
        proofOfPossession: proof.toString('base64'),
      },
    }),
  });
  const body = await json(answer);
  if (!answer.ok) return body.details[0].reason;
  return new X509Certificate(body.signedCertificateEmbeddedSct.chain.certificates[0]).subjectAltName ?? '';
}

const logged = async () => (await json(fetch(`${server.url}/ct/v1/get-sth`))).tree_size;

test('a token that the issuer wrote into its ledger gets a certificate, as often as it is valid', async () => {
  expect(await certify(token)).toBe('URI:agent:code-writer');
  expect(await certify(token)).toBe('URI:agent:code-writer');
});

test('the stolen key makes the very token that was issued, and no other one', async () => {
  const bytes = Buffer.from(token.split('.')[1]!, 'base64url').toString();
  expect(await certify(forge(bytes))).toBe('URI:agent:code-writer');
});

test.each<[string, () => object | string]>([
  ["a known jti with another agent's claims", () => ({ ...claims, sub: 'agent:other', agent_name: 'other' })],
  ['a known jti with another model', () => ({ ...claims, model_id: 'made-up' })],
  ['a known jti that lives longer', () => ({ ...claims, exp: Number(claims['exp']) + 1 })],
  ['a known jti with a claim more', () => ({ ...claims, repo: 'acme/webshop' })],
  ['the same claims in another order', () => Object.fromEntries(Object.entries(claims).reverse())],
  ['the same claims with a blank between them', () => JSON.stringify(claims).replace(',', ', ')],
])('%s gets no certificate, and stands in no log', async (_what, payload) => {
  const before = await logged();
  expect(await certify(forge(payload()))).toBe('authority.token_altered');
  expect(await logged()).toBe(before);
});

test.each<[string, () => object]>([
  ['a jti that no row has', () => ({ ...claims, jti: randomUUID() })],
  ['a jti in another spelling', () => ({ ...claims, jti: String(claims['jti']).toUpperCase() })],
  ['no jti', () => ({ ...claims, jti: undefined })],
])('%s gets no certificate, and stands in no log', async (_what, payload) => {
  const before = await logged();
  expect(await certify(forge(payload()))).toBe('authority.token_unissued');
  expect(await logged()).toBe(before);
});

test('the name of a reviewer, of a review service and of the evidence store is not to be had either', async () => {
  const host = new URL(server.url).host;
  for (const sub of ['reviewer:alice@example.com', 'reviews:localhost', `evidence:${host}`, 'spiffe://td/x']) {
    const { agent_name: _, human_reviewer: __, ...rest } = claims;
    expect(await certify(forge({ ...rest, sub })), sub).toBe('authority.token_altered');
  }
});

test('a token whose row was erased buys nothing any more', async () => {
  const running = await runServer(onTestFinished);
  const identityToken = await (await running.mint(SIX_FIELDS)).text();
  expect(await certify(identityToken, running)).toBe('URI:agent:code-writer');
  const db = openDatabase(running.paths.database);
  const jti = String(payloadOf(identityToken)['jti']);
  // A row is erased once a checkpoint covers it, which is within the second.
  await vi.waitFor(() => eraseToken(db, jti, { reason: 'ticket 1', erasedBy: 'operator' }), 100_000);
  db.close();
  expect(await certify(identityToken, running)).toBe('authority.token_erased');
});
