import { createHmac, generateKeyPairSync } from 'node:crypto';
import {
  encodeSegment,
  type IssuerKey,
  makeIssuerKey,
  mintToken,
  TOKEN_TIME as NOW,
  signInput,
  startPeer,
} from '@colophon/testkit';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { faultOf } from '../../test/refusal.ts';
import type { Jwk } from '../token/token-key.ts';
import { CLOCK_SKEW_SECONDS } from '../token/verify-token.ts';
import { type CallerToken, type TrustedIssuer, verifyCallerToken } from './caller-token.ts';

const US = 'https://agents.example';
const ISSUER = 'https://ci.example/org';
const DOMAIN = 'spiffe://prod.example';
const HOUR = 3600;
const KEYS = (['RS256', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const).map((alg) => makeIssuerKey(alg));
const [rsa, p256, , , ed] = KEYS as [IssuerKey, IssuerKey, IssuerKey, IssuerKey, IssuerKey];
const spire = makeIssuerKey('ES256', 'spire');

type Asked = [issuer: string, kid: string | undefined][];

function issuers(asked: Asked = [], published: readonly Jwk[] = KEYS.map(({ jwk }) => jwk)) {
  const ci: TrustedIssuer = {
    issuer: ISSUER,
    kind: 'oidc',
    audience: US,
    maxAgeSeconds: HOUR,
    keys: {
      findKey(issuer, kid) {
        asked.push([issuer, kid]);
        return published.find((jwk) => jwk.kid === kid);
      },
      findOnlyKey: () => published[0],
    },
  };
  const domain: TrustedIssuer = {
    ...ci,
    issuer: DOMAIN,
    kind: 'spiffe',
    keys: {
      findKey(issuer, kid) {
        asked.push([issuer, kid]);
        return [spire.jwk, ed.jwk].find((jwk) => jwk.kid === kid);
      },
      findOnlyKey(issuer) {
        asked.push([issuer, undefined]);
        return spire.jwk;
      },
    },
  };
  return new Map([ci, domain].map((one) => [one.issuer, one]));
}

const TRUSTED = issuers();
const CLAIMS = { iss: ISSUER, sub: 'job:1', aud: US, iat: NOW, exp: NOW + 600, jti: 'one' };
const SVID = { sub: `${DOMAIN}/agent`, aud: [US], exp: NOW + 600 };

const verify = (token: unknown, now = NOW, trusted: ReadonlyMap<string, TrustedIssuer> = TRUSTED) =>
  verifyCallerToken(token, trusted, now);
const token = (changes: object = {}, header = {}, key = p256) => mintToken(key, { ...CLAIMS, ...changes }, header);
const svid = (changes: object = {}, header = {}, key = spire) => mintToken(key, { ...SVID, ...changes }, header);

async function faultIn(said: Promise<CallerToken>): Promise<string | undefined> {
  return said.then(() => undefined, faultOf);
}

test.each(KEYS)('a token by a key for $alg is a caller’s token', async (key) => {
  const said = await verify(token({}, {}, key));
  expect(said).toEqual({
    issuer: ISSUER,
    payload: CLAIMS,
    expiresAt: NOW + 600,
    useKey: expect.any(Uint8Array),
    jti: 'one',
  });
  expect(said.useKey).toHaveLength(32);
});

test('no algorithm is used with another kind of key than its own', async () => {
  for (const key of KEYS) {
    for (const { alg } of KEYS.filter((other) => other !== key)) {
      const bare = issuers([], [{ ...key.jwk, alg: undefined } as unknown as Jwk]);
      const fault = await faultIn(verify(token({}, { alg }, key), NOW, bare));
      expect([key.alg, alg, fault]).toEqual([key.alg, alg, 'token_algorithm_refused']);
    }
  }
});

test.each([
  'none',
  'None',
  'nOnE',
  '',
  'HS256',
  'HS384',
  'HS512',
  'RS384',
  'RS512',
  'RS1',
  'PS256',
  'PS384',
  'PS512',
  'ES256K',
  'es256',
  'ES256 ',
  'EdDSA\u0001',
  'Ed25519',
  'RSA-OAEP',
  'dir',
  'toString',
  '__proto__',
  null,
  7,
  ['ES256'],
  { alg: 'ES256' },
  undefined,
])('alg %j is refused before a key is asked for', async (alg) => {
  const asked: Asked = [];
  expect(await faultIn(verify(token({}, { alg }), NOW, issuers(asked)))).toBe('token_algorithm_refused');
  expect(asked).toEqual([]);
});

test('an unsigned token is refused in each spelling', async () => {
  const input = `${encodeSegment({ alg: 'none', kid: p256.kid })}.${encodeSegment(CLAIMS)}`;
  for (const unsigned of [input, `${input}.`, `${input}.AA`, `${input}..`]) {
    expect(await faultIn(verify(unsigned))).toMatch(/^token_(malformed|algorithm_refused)$/);
  }
  expect(await faultIn(verify(`${encodeSegment({ alg: 'ES256', kid: p256.kid })}.${encodeSegment(CLAIMS)}.AA`))).toBe(
    'token_signature_invalid',
  );
});

test('a public key is no shared secret', async () => {
  const pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' });
  for (const [hash, alg] of [
    ['sha256', 'HS256'],
    ['sha256', 'RS256'],
  ] as const) {
    const input = `${encodeSegment({ alg, kid: rsa.kid })}.${encodeSegment(CLAIMS)}`;
    for (const secret of [JSON.stringify(rsa.jwk), rsa.jwk.n!, pem, '']) {
      const mac = createHmac(hash, secret).update(input).digest('base64url');
      expect(await faultIn(verify(`${input}.${mac}`))).toMatch(/^token_(algorithm_refused|signature_invalid)$/);
    }
  }
});

test('a secret or a private key in the key set is not used', async () => {
  const k = Buffer.from('secret').toString('base64url');
  const secret = { kty: 'oct', k, kid: 'k', alg: 'HS256' };
  const whole = { ...p256.privateKey.export({ format: 'jwk' }), kid: 'k' };
  for (const published of [secret, whole]) {
    const fault = await faultIn(verify(token({}, { kid: 'k' }), NOW, issuers([], [published as Jwk])));
    expect(fault).toBe('token_algorithm_refused');
  }
});

test('a key of 1024 bits is too weak', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'weak' };
  const key: IssuerKey = { alg: 'RS256', kid: 'weak', privateKey, jwk };
  expect(await faultIn(verify(token({}, {}, key), NOW, issuers([], [jwk])))).toBe('token_algorithm_refused');
});

test('a key that was published for encryption verifies nothing', async () => {
  for (const [change, fault] of [
    [{ use: 'enc' }, 'token_algorithm_refused'],
    [{ use: undefined, key_ops: ['encrypt'] }, 'token_algorithm_refused'],
    [{ use: undefined, key_ops: 'verify' }, 'token_algorithm_refused'],
    [{ use: undefined, key_ops: ['verify'] }, undefined],
  ] as const) {
    const published = issuers([], [{ ...p256.jwk, ...change } as Jwk]);
    expect(await faultIn(verify(token(), NOW, published))).toBe(fault);
  }
});

test.each([{ crit: ['exp'] }, { crit: [] }, { crit: null }, { b64: false }, { b64: true }])(
  'the header %j demands what we do not understand',
  async (header) => {
    expect(await faultIn(verify(token({}, header)))).toBe('token_algorithm_refused');
  },
);

test('a key or an address in the header is never looked at, and never asked', async () => {
  const listener = await startPeer(onTestFinished, (_request, response) => response.end('{}'));
  const fetched = vi.spyOn(globalThis, 'fetch');
  onTestFinished(() => fetched.mockRestore());
  const thief = makeIssuerKey('ES256', p256.kid);
  for (const header of [
    { jwk: thief.jwk },
    { jku: `${listener.url}/jwks` },
    { x5u: `${listener.url}/chain` },
    { x5c: ['AA'] },
    { jwk: thief.jwk, jku: `${listener.url}/jwks`, x5u: `${listener.url}/chain`, x5t: 'AA' },
  ]) {
    expect(await faultIn(verify(token({}, header, thief)))).toBe('token_signature_invalid');
    expect(await faultIn(verify(token({}, header)))).toBeUndefined();
    expect(await faultIn(verify(token({}, { ...header, kid: undefined }, thief)))).toBe('token_key_unknown');
  }
  expect(listener.requests).toEqual([]);
  expect(fetched).not.toHaveBeenCalled();
});

test.each([undefined, 'JWT', 'jwt', 'application/jwt', 'at+jwt', 'application/at+jwt', 'AT+JWT'])(
  'typ %j is a caller’s credential',
  async (typ) => {
    expect(await faultIn(verify(token({}, { typ })))).toBeUndefined();
  },
);

test.each([
  'dpop+jwt',
  'secevent+jwt',
  'logout+jwt',
  'application/logout+jwt',
  'JWE',
  'JOSE',
  'jwt ',
  'text/jwt',
  'kb+jwt',
  'oauth-authz-req+jwt',
  '',
  null,
  7,
  ['JWT'],
])('typ %j is another kind of token', async (typ) => {
  const asked: Asked = [];
  expect(await faultIn(verify(token({}, { typ }), NOW, issuers(asked)))).toBe('token_type_refused');
  expect(asked).toEqual([]);
});

test.each([
  `${ISSUER}/`,
  `${ISSUER}/x`,
  `${ISSUER}x`,
  `${ISSUER}.evil.example`,
  `${ISSUER}?`,
  `${ISSUER}#`,
  `${ISSUER}\n`,
  ` ${ISSUER}`,
  `${ISSUER}\u0001`,
  'https://CI.example/org',
  'HTTPS://ci.example/org',
  'https://ci.example/Org',
  'https://ci.example:443/org',
  'https://ci.example/%6frg',
  'https://ci.example%2eevil/org',
  'https://ci.example@evil.example/org',
  'https://u@ci.example/org',
  'https://сi.example/org',
  'https://ci.example./org',
  'https://ci.example//org',
  'https://ci.example/./org',
  'http://ci.example/org',
  'ci.example/org',
  'https://evil.example/?https://ci.example/org',
  DOMAIN,
  '__proto__',
  'constructor',
  '',
  null,
  undefined,
  7,
  [ISSUER],
  { iss: ISSUER },
])('the issuer %j is not trusted, and its keys are not asked for', async (iss) => {
  const asked: Asked = [];
  expect(await faultIn(verify(token({ iss }), NOW, issuers(asked)))).toBe('token_issuer_untrusted');
  expect(asked).toEqual([]);
});

test('a key of one issuer signs nothing for another', async () => {
  expect(await faultIn(verify(token({}, {}, spire)))).toBe('token_key_unknown');
  expect(await faultIn(verify(token({}, { kid: p256.kid }, spire)))).toBe('token_signature_invalid');
  expect(await faultIn(verify(svid({}, {}, p256)))).toBe('token_key_unknown');
  // Trusted by its iss: what its sub says does not choose the key.
  expect(await faultIn(verify(svid({ iss: ISSUER, iat: NOW })))).toBe('token_key_unknown');
});

test('a kid that is no name of a key is not asked for', async () => {
  for (const kid of ['', null, 7, [p256.kid], { kid: p256.kid }, undefined]) {
    const asked: Asked = [];
    expect(await faultIn(verify(token({}, { kid }), NOW, issuers(asked)))).toBe('token_key_unknown');
    expect(asked).toEqual([]);
  }
  expect(await faultIn(verify(token({}, { kid: 'other' })))).toBe('token_key_unknown');
});

test('of SPIFFE the trust domain of the subject chooses the keys; iss means nothing, and kid may be absent', async () => {
  for (const [changes, header, kid] of [
    [{}, {}, 'spire'],
    [{ iss: 'https://spire.example' }, {}, 'spire'],
    [{ iss: 7 }, { typ: 'JOSE' }, 'spire'],
    [{ iss: DOMAIN }, { typ: undefined }, 'spire'],
    [{ iat: NOW, jti: 'j' }, { kid: undefined }, undefined],
  ] as const) {
    const asked: Asked = [];
    const said = await verify(svid(changes, header), NOW, issuers(asked));
    expect([said.issuer, said.payload['sub']]).toEqual([DOMAIN, SVID.sub]);
    expect(asked).toEqual([[DOMAIN, kid]]);
  }
  for (const kid of ['', null, 7]) expect(await faultIn(verify(svid({}, { kid })))).toBe('token_key_unknown');
});

test('JWT-SVIDs have algorithms and types of their own', async () => {
  expect(await faultIn(verify(svid({}, {}, ed)))).toBe('token_algorithm_refused');
  for (const typ of ['at+jwt', 'dpop+jwt', null]) {
    expect(await faultIn(verify(svid({}, { typ })))).toBe('token_type_refused');
  }
});

test.each([
  DOMAIN,
  `${DOMAIN}/`,
  `${DOMAIN}.evil/agent`,
  `${DOMAIN}:443/agent`,
  `${DOMAIN}/../agent`,
  `${DOMAIN}/agent?x`,
  `${DOMAIN}/agent\n`,
  'spiffe://evil.example/agent',
  'spiffe://PROD.example/agent',
  'spiffe://u@prod.example/agent',
  'https://prod.example/agent',
  'agent',
  '',
  null,
  7,
  [`${DOMAIN}/agent`],
  undefined,
])('the subject %j is no workload of the trust domain', async (sub) => {
  const asked: Asked = [];
  expect(await faultIn(verify(svid({ sub }), NOW, issuers(asked)))).toBe('token_issuer_untrusted');
  expect(asked).toEqual([]);
});

test('a map whose keys are wrong trusts nobody', async () => {
  const [ci, domain] = [TRUSTED.get(ISSUER)!, TRUSTED.get(DOMAIN)!];
  expect(await faultIn(verify(token({ iss: 'other' }), NOW, new Map([['other', ci]])))).toBe('token_issuer_untrusted');
  expect(await faultIn(verify(svid(), NOW, new Map([[DOMAIN, ci]])))).toBe('token_issuer_untrusted');
  expect(await faultIn(verify(token(), NOW, new Map([[ISSUER, domain]])))).toBe('token_issuer_untrusted');
});

test.each([
  `${US}/`,
  'https://AGENTS.example',
  `${US}:443`,
  `${US}\n`,
  'sigstore',
  '',
  null,
  undefined,
  7,
  {},
  [],
  [US, US],
  [US, 'other'],
  ['other', US],
  [[US]],
  [null],
  { 0: US, length: 1 },
])('the audience %j is not ours', async (aud) => {
  expect(await faultIn(verify(token({ aud })))).toBe('token_audience_wrong');
  expect(await faultIn(verify(svid({ aud })))).toBe('token_audience_wrong');
});

test('a list of our audience alone is ours', async () => {
  expect(await faultIn(verify(token({ aud: [US] })))).toBeUndefined();
});

test.each(['exp', 'iat', 'nbf'])('%s is a whole, positive number of seconds', async (name) => {
  const values = [null, `${NOW}`, String(NOW + 600), NOW + 0.5, 0, -1, -NOW, [NOW], [], {}, true, false, ''];
  for (const value of values) {
    for (const said of [token({ [name]: value }), svid({ [name]: value })]) {
      expect([value, await faultIn(verify(said))]).toEqual([value, 'token_claim_invalid']);
    }
  }
});

test('exp must be there, and iat but for SPIFFE', async () => {
  expect(await faultIn(verify(token({ exp: undefined })))).toBe('token_claim_invalid');
  expect(await faultIn(verify(token({ iat: undefined })))).toBe('token_claim_invalid');
  expect(await faultIn(verify(svid({ exp: undefined })))).toBe('token_claim_invalid');
  expect(await faultIn(verify(svid({ iat: undefined })))).toBeUndefined();
});

test('NaN, infinity and a claim that is there twice are no JSON', async () => {
  for (const exp of [
    'NaN',
    'Infinity',
    '1e400',
    '9007199254740993',
    '1e300',
    `${NOW + 600},"exp":${NOW + 700}`,
    '0x6',
    '01',
  ]) {
    const payload = `{"iss":${JSON.stringify(ISSUER)},"aud":"${US}","iat":${NOW},"exp":${exp}}`;
    const input = `${encodeSegment({ alg: 'ES256', kid: p256.kid })}.${encodeSegment(payload)}`;
    const fault = await faultIn(verify(`${input}.${signInput(p256, input)}`));
    expect(fault).toMatch(/^token_(malformed|claim_invalid)$/);
  }
});

test('a token is refused from its expiry and the skew on, to the second', async () => {
  const end = NOW + 600 + CLOCK_SKEW_SECONDS;
  for (const said of [token(), svid()]) {
    expect(await faultIn(verify(said, end - 1))).toBeUndefined();
    expect(await faultIn(verify(said, end))).toBe('token_expired');
  }
});

test('a token is refused before iat and nbf, less the skew, to the second', async () => {
  const early = NOW + CLOCK_SKEW_SECONDS;
  for (const changes of [{ iat: early }, { nbf: early }]) expect(await faultIn(verify(token(changes)))).toBeUndefined();
  for (const changes of [{ iat: early + 1 }, { nbf: early + 1 }]) {
    expect(await faultIn(verify(token(changes)))).toBe('token_not_yet_valid');
  }
  expect(await faultIn(verify(svid({ nbf: early + 1 })))).toBe('token_not_yet_valid');
});

test('a token ends after it begins', async () => {
  for (const exp of [NOW, NOW - 1]) {
    expect(await faultIn(verify(token({ exp })))).toBe('token_claim_invalid');
    expect(await faultIn(verify(svid({ iat: NOW, exp })))).toBe('token_claim_invalid');
  }
  expect(await faultIn(verify(token({ exp: NOW + 1 })))).toBeUndefined();
});

test('a token is too old where its iat is further back than its issuer’s tokens may be', async () => {
  const end = NOW + HOUR + CLOCK_SKEW_SECONDS;
  for (const said of [token({ exp: NOW + 2 * HOUR }), svid({ iat: NOW, exp: NOW + 2 * HOUR })]) {
    expect(await faultIn(verify(said, end - 1))).toBeUndefined();
    expect(await faultIn(verify(said, end))).toBe('token_too_old');
  }
});

test('a token lives 24 hours at most', async () => {
  const day = 24 * HOUR;
  expect(await faultIn(verify(token({ exp: NOW + day })))).toBeUndefined();
  expect(await faultIn(verify(token({ exp: NOW + day + 1 })))).toBe('token_lifetime_too_long');
  expect(await faultIn(verify(svid({ iat: NOW, exp: NOW + day + 1 })))).toBe('token_lifetime_too_long');
});

test('without an iat a token ends within what its issuer’s tokens may be old', async () => {
  expect((await verify(svid({ exp: NOW + HOUR }))).expiresAt).toBe(NOW + HOUR);
  expect(await faultIn(verify(svid({ exp: NOW + HOUR + 1 })))).toBe('token_lifetime_too_long');
  const lax = new Map([[DOMAIN, { ...TRUSTED.get(DOMAIN)!, maxAgeSeconds: 1000 * HOUR }]]);
  expect(await faultIn(verify(svid({ exp: NOW + 24 * HOUR + 1 }), NOW, lax))).toBe('token_lifetime_too_long');
});

test.each(['', null, 7, ['one'], {}, true])('jti %j is none', async (jti) => {
  expect(await faultIn(verify(token({ jti })))).toBe('token_claim_invalid');
});

test('every copy of a token has one use key, and another token another one', async () => {
  const useKey = async (said: string) => Buffer.from((await verify(said)).useKey).toString('hex');
  const first = await useKey(token());
  // ECDSA makes another signature each time, and the issuer may sign the same token again.
  expect(await useKey(token())).toBe(first);
  expect(await useKey(token({ sub: 'job:2' }))).toBe(first);
  expect(await useKey(token({ jti: 'two' }))).not.toBe(first);
  expect(await useKey(svid({ jti: 'one' }))).not.toBe(first);
  const plain = await useKey(svid());
  expect(await useKey(svid())).toBe(plain);
  expect(await useKey(svid({ exp: NOW + 601 }))).not.toBe(plain);
  expect((await verify(svid())).jti).toBeUndefined();
});

test('the twin of an ECDSA signature is the same use', async () => {
  const said = token();
  const [head, payload, signature] = said.split('.') as [string, string, string];
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const bytes = Buffer.from(signature, 'base64url');
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  const mirrored = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
  const twin = `${head}.${payload}.${mirrored.toString('base64url')}`;
  expect(twin).not.toBe(said);
  expect((await verify(twin)).useKey).toEqual((await verify(said)).useKey);
});

test('every prefix of a token is refused', async () => {
  for (const whole of [token(), svid(), token({}, {}, rsa)]) {
    for (let length = 0; length < whole.length; length++) {
      expect(await faultIn(verify(whole.slice(0, length)))).toMatch(/^token_/);
    }
  }
});

test('every change of one character is refused', async () => {
  const whole = [token(), svid(), token({}, {}, rsa), token({}, {}, ed)];
  const character = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.+/ \n\0é');
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...whole), fc.nat(), character, async (said, at, put) => {
      const place = at % said.length;
      const changed = said.slice(0, place) + put + said.slice(place + 1);
      if (changed !== said) expect(await faultIn(verify(changed))).toMatch(/^token_/);
      const longer = said.slice(0, place) + put + said.slice(place);
      expect(await faultIn(verify(longer))).toMatch(/^token_/);
      expect(await faultIn(verify(said.slice(0, place) + said.slice(place + 1)))).toMatch(/^token_/);
    }),
    { numRuns: 2000 },
  );
});

test('a megabyte of anything is refused by its length, before it is looked into', async () => {
  for (const filler of ['.', 'a', 'a.', '\0']) {
    const long = filler.repeat(1_000_000 / filler.length);
    const split = vi.spyOn(String.prototype, 'split');
    const run = vi.spyOn(RegExp.prototype, 'exec');
    const fault = await faultIn(verify(long));
    const looks = [...split.mock.calls, ...run.mock.calls.filter(([text]) => text === long)];
    split.mockRestore();
    run.mockRestore();
    expect([fault, looks]).toEqual(['token_too_large', []]);
  }
});

test.each([undefined, null, '', 7, ['a.b.c'], {}])('%j is no token', async (value) => {
  expect(await faultIn(verify(value))).toBe('token_missing');
});

test('a refusal holds nothing of the token', async () => {
  const canary = 'cAnArY';
  for (const changes of [
    { iss: canary },
    { aud: canary },
    { exp: canary },
    { jti: [canary] },
    { sub: canary, iss: 1 },
  ]) {
    const error = await verify(token(changes, {})).catch((said: unknown) => said);
    expect(JSON.stringify(error) + String(error)).not.toContain(canary);
  }
  for (const header of [{ alg: canary }, { typ: canary }, { kid: canary }]) {
    const error = await verify(token({}, header)).catch((said: unknown) => said);
    expect(faultOf(error)).toMatch(/^token_/);
    expect(String(error)).not.toContain(canary);
  }
});
