import { createHmac, createPublicKey } from 'node:crypto';
import { encodeSegment, type ForeignIssuer, makeIssuerKey, mintToken, type Peer, startPeer } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foreignIssuer, githubCaller, jobClaims, type RunningIssuer, runIssuer } from './running-issuer.ts';

const undo: Array<() => void | Promise<void>> = [];
const cleanup = (step: () => void | Promise<void>) => void undo.push(step);

let issuer: RunningIssuer;
let forge: ForeignIssuer;
/** An address that no test may lead to. */
let trap: Peer;

beforeAll(async () => {
  forge = await foreignIssuer(cleanup);
  trap = await startPeer(cleanup, (_request, response) => response.end(JSON.stringify({ keys: [attacker.jwk] })));
  issuer = await runIssuer(cleanup, (url) => ({ callers: [githubCaller(forge.url, url)] }));
});

afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

const attacker = makeIssuerKey('ES256', 'attacker');
const now = () => Math.floor(Date.now() / 1000);
const sign = (changes: object = {}, header: object = {}) => forge.sign(jobClaims(issuer.url, changes), { ...header });

/** Asks with the token as bearer and in an exchange: no way in is weaker. Nothing is minted. */
async function refusals(token: string): Promise<readonly (string | undefined)[]> {
  const before = issuer.tokens().length;
  const connections = forge.requests().length;
  const answers = [await issuer.ask({ bearer: token }), await issuer.exchange({ subject_token: token })];
  expect(answers.map(({ claims }) => claims)).toEqual([undefined, undefined]);
  expect(issuer.tokens()).toHaveLength(before);
  expect(trap.requests).toEqual([]);
  // The key set may be looked at for a key that is not known; nothing else of the trusted issuer is asked.
  expect(
    forge
      .requests()
      .slice(connections)
      .every(({ url }) => /^\/(jwks|\.well-known\/openid-configuration)$/.test(url!)),
  ).toBe(true);
  return answers.map(({ code }) => code);
}

const both = (code: string) => [code, code];

it('a job’s own token gets one in, by either way', async () => {
  expect(await issuer.ask({ bearer: sign() })).toMatchObject({ status: 200, claims: { repo: 'acme/shop' } });
  expect(await issuer.exchange({ subject_token: sign() })).toMatchObject({
    status: 200,
    claims: { repo: 'acme/shop' },
  });
});

describe('an issuer that is almost the trusted one', () => {
  const port = () => new URL(forge.url).port;
  it.each<[string, () => unknown]>([
    ['with a suffix to its host', () => forge.url.replace('127.0.0.1', '127.0.0.1.evil.example')],
    ['with a suffix to its port', () => `${forge.url}0`],
    ['with a slash at its end', () => `${forge.url}/`],
    ['with a path', () => `${forge.url}/evil`],
    ['with a path that leads back', () => `${forge.url}/a/..`],
    ['in capitals', () => forge.url.toUpperCase()],
    ['with another scheme', () => forge.url.replace('http:', 'https:')],
    ['without a scheme', () => forge.url.replace('http://', '')],
    ['without its port', () => 'http://127.0.0.1'],
    ['on another port', () => trap.url],
    ['as the name of another’s user', () => `http://127.0.0.1:${port()}@evil.example`],
    ['behind the name of a user', () => `http://evil@127.0.0.1:${port()}`],
    ['by another name of its host', () => `http://localhost:${port()}`],
    ['by its host in decimal', () => `http://2130706433:${port()}`],
    ['by its host in hexadecimal', () => `http://0x7f000001:${port()}`],
    ['by its host in IPv6', () => `http://[::ffff:127.0.0.1]:${port()}`],
    ['in full-width digits', () => `http://１２７.0.0.1:${port()}`],
    ['with an ideographic full stop', () => `http://127。0。0。1:${port()}`],
    ['with an escaped dot', () => `http://127%2e0%2e0%2e1:${port()}`],
    ['with a dot at the end of its host', () => `http://127.0.0.1.:${port()}`],
    ['with a line break after it', () => `${forge.url}\n`],
    ['with a blank before it', () => ` ${forge.url}`],
    ['in the query of another', () => `${trap.url}/?${forge.url}`],
    ['in the fragment of another', () => `${trap.url}/#${forge.url}`],
    ['in a list', () => [forge.url]],
    ['in a list with another', () => [forge.url, trap.url]],
    ['in an object', () => ({ toString: forge.url })],
    ['that is nobody', () => undefined],
    ['that is null', () => null],
    ['that is empty', () => ''],
    ['that is this issuer', () => issuer.url],
    ['that is a name of JavaScript', () => '__proto__'],
    ['that is a trust domain', () => 'spiffe://127.0.0.1'],
  ])('is not trusted, nor asked for anything: %s', async (_how, iss) => {
    expect(await refusals(sign({ iss: iss() }))).toEqual(both('caller.token_issuer_untrusted'));
    expect(await refusals(mintToken(attacker, jobClaims(issuer.url, { iss: iss() })))).toEqual(
      both('caller.token_issuer_untrusted'),
    );
  });
});

describe('a key that is not the trusted issuer’s', () => {
  const forged = (header: object) => mintToken(attacker, jobClaims(issuer.url, { iss: forge.url }), { ...header });
  const kid = () => forge.published[0]!.kid!;

  it.each<[string, () => object, string]>([
    ['under its name', () => ({ kid: kid() }), 'token_signature_invalid'],
    ['under a name of its own', () => ({}), 'token_key_unknown'],
    ['without a name', () => ({ kid: undefined }), 'token_key_unknown'],
    ['under an empty name', () => ({ kid: '' }), 'token_key_unknown'],
    ['under a name that is no text', () => ({ kid: 1 }), 'token_key_unknown'],
    ['under a path', () => ({ kid: '../../../../dev/null' }), 'token_key_unknown'],
    ['under an address', () => ({ kid: trap.url }), 'token_key_unknown'],
    ['under a name of JavaScript', () => ({ kid: '__proto__' }), 'token_key_unknown'],
    ['at an address (jku)', () => ({ jku: `${trap.url}/jwks` }), 'token_key_unknown'],
    ['at an address (x5u)', () => ({ x5u: `${trap.url}/x5u` }), 'token_key_unknown'],
    ['at an address, under its name', () => ({ kid: kid(), jku: `${trap.url}/jwks` }), 'token_signature_invalid'],
    ['in the header (jwk)', () => ({ jwk: attacker.jwk }), 'token_key_unknown'],
    ['in the header, under its name', () => ({ kid: kid(), jwk: attacker.jwk }), 'token_signature_invalid'],
    ['in a certificate in the header', () => ({ kid: kid(), x5c: ['MIIB'] }), 'token_signature_invalid'],
  ])('counts for nothing %s, and no address is looked at', async (_how, header, code) => {
    expect(await refusals(forged(header()))).toEqual(both(`caller.${code}`));
  });

  it('that another trusted issuer publishes signs for that one alone', async () => {
    const other = await foreignIssuer(cleanup);
    const { url } = issuer;
    const callers = [
      githubCaller(forge.url, url),
      githubCaller(other.url, url, { name: 'others', kind: 'oidc', oidc: { where: { repository: 'evil/shop' } } }),
    ];
    issuer.write({ ...issuer.configuration, callers });
    await expect.poll(() => issuer.lines().at(-1)?.['msg']).toBe('the configuration was changed');
    const itsKey = makeIssuerKey('ES256', 'of-the-other');
    other.published.push(itsKey.jwk);
    const claims = jobClaims(url, { iss: forge.url });
    expect(await refusals(mintToken(itsKey, claims))).toEqual(both('caller.token_key_unknown'));
    expect(await refusals(mintToken(itsKey, claims, { kid: kid() }))).toEqual(both('caller.token_signature_invalid'));
    // The same claims by the word of another are nobody's.
    expect(await refusals(other.sign(jobClaims(url)))).toEqual(both('caller.unknown'));
  });
});

describe('a signature algorithm that the token chooses', () => {
  const parts = (alg: unknown, more: object = {}) =>
    `${encodeSegment({ alg, kid: forge.published[0]!.kid, typ: 'JWT', ...more })}.${encodeSegment(
      jobClaims(issuer.url, { iss: forge.url }),
    )}`;

  it.each<[string, unknown]>([
    ['none', 'none'],
    ['None', 'None'],
    ['nOnE', 'nOnE'],
    ['empty', ''],
    ['a number', 256],
    ['a list', ['ES256']],
    ['null', null],
    ['absent', undefined],
    ['PS256', 'PS256'],
    ['RS1', 'RS1'],
    ['ES256K', 'ES256K'],
    ['in small letters', 'es256'],
    ['a blank more', 'ES256 '],
    ['of a prototype', 'constructor'],
  ])('%s is refused', async (_what, alg) => {
    expect(await refusals(`${parts(alg)}.${'A'.repeat(86)}`)).toEqual(both('caller.token_algorithm_refused'));
  });

  it.each(['HS256', 'HS384', 'HS512'])('%s with the public key as the secret is refused', async (alg) => {
    const [jwk] = forge.published;
    const publicKey = createPublicKey({ key: jwk!, format: 'jwk' });
    for (const secret of [
      publicKey.export({ type: 'spki', format: 'pem' }),
      publicKey.export({ type: 'spki', format: 'der' }),
      JSON.stringify(jwk),
    ]) {
      const input = parts(alg);
      const mac = createHmac(`sha${alg.slice(2)}`, secret)
        .update(input)
        .digest('base64url');
      expect(await refusals(`${input}.${mac}`)).toEqual(both('caller.token_algorithm_refused'));
    }
  });

  it.each(['RS256', 'EdDSA', 'ES384', 'ES512'])('%s is not taken for a key of another kind', async (alg) => {
    expect(await refusals(`${parts(alg)}.${'A'.repeat(86)}`)).toEqual(both('caller.token_algorithm_refused'));
  });

  it.each([{ crit: ['exp'] }, { crit: [] }, { b64: false, crit: ['b64'] }, { b64: true }])(
    'a header with %j is refused',
    async (header) => {
      expect(await refusals(sign({}, header))).toEqual(both('caller.token_algorithm_refused'));
    },
  );

  it.each(['dpop+jwt', 'logout+jwt', 'secevent+jwt', 'application/token-introspection+jwt', 'JWE', 1, ['JWT'], null])(
    'a token of the type %j was made for another use',
    async (typ) => {
      expect(await refusals(sign({}, { typ }))).toEqual(both('caller.token_type_refused'));
    },
  );

  it('an empty signature is none, and an encrypted token is no credential', async () => {
    expect(await refusals(`${parts('ES256')}.`)).toEqual(both('caller.token_malformed'));
    expect(await refusals('eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA')).toEqual(
      both('caller.token_malformed'),
    );
  });
});

describe('an audience that is not this issuer alone', () => {
  it.each<[string, (url: string) => unknown]>([
    ['absent', () => undefined],
    ['null', () => null],
    ['empty', () => ''],
    ['a number', () => 1],
    ['another issuer', () => 'https://staging.example.com'],
    ['a word that many share', () => 'sigstore'],
    ['this issuer with a slash', (url) => `${url}/`],
    ['this issuer in capitals', (url) => url.toUpperCase()],
    ['this issuer with a path', (url) => `${url}/oauth/token`],
    ['the beginning of this issuer', (url) => url.slice(0, -1)],
    ['no list', () => []],
    ['a list with another beside it', (url) => [url, 'https://other.example']],
    ['a list with it twice', (url) => [url, url]],
    ['a list in a list', (url) => [[url]]],
    ['an object', (url) => ({ 0: url })],
  ])('is refused: %s', async (_what, aud) => {
    expect(await refusals(sign({ aud: aud(issuer.url) }))).toEqual(both('caller.token_audience_wrong'));
  });

  it('a list of this issuer alone is this issuer', async () => {
    expect((await issuer.ask({ bearer: sign({ aud: [issuer.url] }) })).status).toBe(200);
  });
});

describe('times', () => {
  const wrong = [undefined, null, '1795240800', [1795240800], {}, true, 0, -1, 1.5];
  it.each([
    ...wrong.map((value) => ['exp', value] as const),
    ...wrong.map((value) => ['iat', value] as const),
    ...wrong.slice(1).map((value) => ['nbf', value] as const),
  ])('%s that is %j is refused', async (claim, value) => {
    expect(await refusals(sign({ [claim]: value }))).toEqual(both('caller.token_claim_invalid'));
  });

  it.each<[string, () => object, string]>([
    ['expired', () => ({ iat: now() - 600, exp: now() - 31 }), 'token_expired'],
    ['expired before it was issued', () => ({ exp: now() - 10, iat: now() - 5 }), 'token_claim_invalid'],
    ['issued in the future', () => ({ iat: now() + 60, exp: now() + 300 }), 'token_not_yet_valid'],
    ['not valid yet', () => ({ nbf: now() + 60 }), 'token_not_yet_valid'],
    ['valid for more than a day', () => ({ iat: now() - 5, exp: now() + 86_401 }), 'token_lifetime_too_long'],
    ['older than this issuer wants', () => ({ iat: now() - 3_700, nbf: now() - 3_700 }), 'token_too_old'],
  ])('a token that is %s is refused', async (_what, times, code) => {
    expect(await refusals(sign(times()))).toEqual(both(`caller.${code}`));
  });

  it.each([[1], [''], [null], [[1]], [{}]])('a jti of %j is refused: it could not be counted', async (jti) => {
    expect(await refusals(sign({ jti }))).toEqual(both('caller.token_claim_invalid'));
  });
});

describe('another spelling of a good token', () => {
  it.each<[string, (token: string) => string]>([
    ['padding', (token) => `${token}=`],
    ['a dot more', (token) => `${token}.`],
    ['a dot less', (token) => token.replace('.', '')],
    ['a line break', (token) => `${token}\n`],
    ['unused bits', (token) => token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A')],
    ['a blank in it', (token) => token.replace('.', ' .')],
    [
      'a signature in standard base64',
      (token) => token.replace(/\.([^.]*)$/, (_all, last) => `.${last.slice(0, -2)}+/`),
    ],
  ])('is refused by the exchange: %s', async (_what, change) => {
    const before = issuer.tokens().length;
    const answer = await issuer.exchange({ subject_token: change(sign()) });
    expect(answer.code).toMatch(/^caller\.token_(malformed|signature_invalid)$/);
    expect(issuer.tokens()).toHaveLength(before);
  });

  it('of dots alone costs nothing', async () => {
    const before = process.memoryUsage.rss();
    for (let i = 0; i < 20; i += 1) {
      expect((await issuer.ask({ bearer: '.'.repeat(15_000) })).code).toBe('caller.token_malformed');
    }
    expect((await issuer.exchange({ subject_token: '.'.repeat(1_000_000) })).status).toBe(413);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('two payload members of one name are refused', async () => {
    const [header, , signature] = sign().split('.');
    const text = JSON.stringify(jobClaims(issuer.url, { iss: forge.url })).replace('{', '{"iss":"https://x.example",');
    expect(await refusals([header, encodeSegment(text), signature].join('.'))).toEqual(both('caller.token_malformed'));
  });
});
