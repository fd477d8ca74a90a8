import { CLAIMS, FULCIO_URL, LocalSigstore, REKOR_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, test } from 'vitest';
import { signingFailure as failure } from '../../test/signing-failure.ts';
import { signBlob } from './sign.ts';

/** An authority that takes a token once, and whose answers to the first `lost` requests never arrive. */
function singleUse(lost: number) {
  const local = new LocalSigstore();
  const [sent, spent] = [[] as string[], new Set<string>()];
  const usual = local.answer.bind(local);
  let left = lost;
  local.answer = (method, url, body) => {
    if (url.pathname !== '/api/v2/signingCert') return usual(method, url, body);
    const token: string = JSON.parse(body).credentials.oidcIdentityToken;
    sent.push(token);
    if (spent.has(token)) return Response.json({ message: 'already used' }, { status: 401 });
    spent.add(token);
    if (left-- > 0) throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
    return usual(method, url, body);
  };
  const sign = (identityToken: () => Promise<string>) =>
    signBlob({
      ...{ artifact: Buffer.from('x'), fulcioUrl: FULCIO_URL, rekorUrl: REKOR_URL, fetch: local.fetch },
      identityToken,
    });
  const minted = async () => local.token({ ...CLAIMS, jti: `run-${++count}` });
  let count = 0;
  return { local, sent, sign, minted, minting: () => count };
}

test('a token whose answer was lost is followed by another, and none is sent once it is known to be spent', async () => {
  const { sign, minted, minting, sent } = singleUse(1);
  await sign(minted);
  expect(minting()).toBe(2);
  // The lost one, the same again because it may have arrived or not, and the fresh one.
  expect(sent.map((token) => sent.indexOf(token))).toEqual([0, 0, 2]);
});

test('where there is no other token, the refusal stands and nothing more is sent', async () => {
  const { sign, local, sent } = singleUse(1);
  const error = await failure(sign(async () => local.token()));
  expect([error.code, sent.length]).toEqual(['signing.ca_refused', 2]);
});

test('a refusal without an attempt before it gets no second token', async () => {
  const { sign, local, minted, minting } = singleUse(0);
  local.answer = () => Response.json({ message: 'no' }, { status: 400 });
  expect((await failure(sign(minted))).code).toBe('signing.ca_refused');
  expect(minting()).toBe(1);
});

test.each([
  [1, 'signing.log_unavailable'],
  [0, 'signing.log_refused'],
])('a log of version 2 that has the entry already, after %i lost answers: %s', async (lost, code) => {
  const { local } = singleUse(0);
  const usual = local.answer.bind(local);
  let left = lost;
  local.answer = (method, url, body) => {
    if (url.pathname !== '/api/v2/log/entries') return usual(method, url, body);
    if (left-- > 0) throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
    return Response.json({ message: 'an equivalent entry already exists' }, { status: 409 });
  };
  const services = {
    fulcioUrl: FULCIO_URL,
    rekorUrl: REKOR_URL,
    rekorMajorVersion: 2,
    tsaUrl: `${REKOR_URL}/api/v1/timestamp`,
  } as const;
  const options = {
    ...services,
    fetch: local.fetch,
    identityToken: async () => local.token(),
    artifact: Buffer.from('x'),
  };
  expect((await failure(signBlob(options))).code).toBe(code);
});
