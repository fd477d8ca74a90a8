import type { ForeignIssuer } from '@colophon/testkit';
import { SIX_FIELDS } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Answer,
  exchangeRequest,
  foreignIssuer,
  githubCaller,
  jobClaims,
  type RunningIssuer,
  runIssuer,
  TOKEN_TYPE,
} from './running-issuer.ts';

const undo: Array<() => void | Promise<void>> = [];
const cleanup = (step: () => void | Promise<void>) => void undo.push(step);
const JSON_TYPE = ['content-type', 'application/json'] as const;
const ACCESS_TOKEN = `${TOKEN_TYPE}access_token`;

let issuer: RunningIssuer;
let forge: ForeignIssuer;
let key: string;

beforeAll(async () => {
  forge = await foreignIssuer(cleanup);
  issuer = await runIssuer(cleanup, (url) => ({
    callers: [
      { name: 'builder', apiKey: true, may: { agents: [SIX_FIELDS.agent_name] } },
      { name: 'leaver', apiKey: true, may: { agents: [SIX_FIELDS.agent_name] } },
      githubCaller(forge.url, url),
    ],
  }));
  key = await issuer.createKey('builder');
});

afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

/** Nothing is minted, the refusal is in the log once, and nothing of the credential is in the answer or in the log. */
async function refused(ask: () => Promise<Answer>, ...credentials: readonly string[]): Promise<Answer> {
  const before = issuer.tokens().length;
  const seen = issuer.lines().length;
  const answer = await ask();
  expect(answer.claims).toBeUndefined();
  expect(issuer.tokens()).toHaveLength(before);
  const lines = issuer.lines().slice(seen);
  expect(lines.filter(({ msg }) => msg === 'token refused')).toMatchObject([
    { code: answer.code, status: answer.status },
  ]);
  const said = answer.body + JSON.stringify(answer.headers) + JSON.stringify(lines);
  for (const credential of credentials) expect(said).not.toContain(credential.slice(0, 40));
  return answer;
}

const bearerOf = (...values: readonly string[]) =>
  issuer.send({
    headers: [JSON_TYPE, ...values.map((value) => ['authorization', value] as const)],
    body: JSON.stringify(SIX_FIELDS),
  });

it('a key gets a token, by either way', async () => {
  expect(await issuer.ask({ bearer: key })).toMatchObject({
    status: 200,
    claims: { sub: `agent:${SIX_FIELDS.agent_name}` },
  });
  expect(await issuer.exchange({ subject_token: key, subject_token_type: ACCESS_TOKEN })).toMatchObject({
    status: 200,
  });
});

describe('a request with no credential, or with several', () => {
  it('without one is answered with what to send, by either way', async () => {
    const answer = await refused(() => bearerOf());
    expect(answer).toMatchObject({ status: 401, code: 'caller.credential_missing' });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect((await refused(() => issuer.exchange({}))).code).toBe('issuer.form_invalid');
  });

  it('with two headers is refused, the same credential or not', async () => {
    for (const other of [`Bearer ${key}`, 'Bearer x', 'Basic eDp5', '']) {
      for (const values of [
        [`Bearer ${key}`, other],
        [other, `Bearer ${key}`],
      ])
        expect((await refused(() => bearerOf(...values), key)).code).toBe('caller.several_credentials');
    }
  });

  it('with a header and a subject_token is refused', async () => {
    const exchange = exchangeRequest({ subject_token: key, subject_token_type: ACCESS_TOKEN });
    const both = () =>
      issuer.send({ ...exchange, headers: [...exchange.headers!, ['authorization', `Bearer ${key}`]] });
    expect((await refused(both, key)).code).toBe('caller.several_credentials');
  });

  it.each(['Basic', 'Digest', 'DPoP', 'Token', 'Negotiate', 'Colophon-Reviewer', ''])(
    'by the scheme "%s" is refused',
    async (scheme) => {
      expect((await refused(() => bearerOf(`${scheme} ${key}`), key)).code).toBe('caller.scheme_unsupported');
    },
  );

  it.each<[string, (credential: string) => string]>([
    ['nothing behind Bearer', () => 'Bearer'],
    ['a blank behind Bearer', () => 'Bearer '],
    ['no blank', (credential) => `Bearer${credential}`],
    ['a tab', (credential) => `Bearer\t${credential}`],
    ['a comma', (credential) => `Bearer ${credential}, Bearer ${credential}`],
    ['a parameter', (credential) => `Bearer token=${credential} x`],
    ['two of them', (credential) => `Bearer ${credential} ${credential}`],
    ['the credential alone', (credential) => credential],
  ])('in a header with %s is refused', async (_what, header) => {
    expect((await refused(() => bearerOf(header(key)), key)).code).toBe('caller.scheme_unsupported');
  });

  it.each(['access_token', 'token', 'api_key', 'subject_token', 'client_secret', 'authorization'])(
    'in the query or the body as %s is no credential',
    async (name) => {
      const path = `/oauth/token?${name}=${key}`;
      const body = JSON.stringify(SIX_FIELDS);
      expect((await refused(() => issuer.send({ path, headers: [JSON_TYPE], body }), key)).code).toBe(
        'caller.credential_missing',
      );
      const inBody = () => issuer.ask({ body: { ...SIX_FIELDS, [name]: key } });
      expect((await refused(inBody, key)).code).toBe('caller.credential_missing');
      const beside = () => issuer.ask({ bearer: key, body: { ...SIX_FIELDS, [name]: key } });
      expect((await refused(beside, key)).code).toBe('request.field_unknown');
    },
  );

  it.each(['proxy-authorization', 'x-api-key', 'cookie', 'x-authorization', 'x-ssl-client-cert'])(
    'in the header %s is no credential',
    async (name) => {
      const headers = [[name, `Bearer ${key}`]] as const;
      expect((await refused(() => issuer.ask({ headers }), key)).code).toBe('caller.credential_missing');
    },
  );
});

describe('an API key with a part that is wrong', () => {
  const change = (at: number) => (text: string) =>
    text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

  it.each<[string, (text: string) => string, string]>([
    ['its prefix in capitals', (text) => text.replace('colophon', 'COLOPHON'), 'token_malformed'],
    ['another prefix', (text) => text.replace('colophon_', 'colophan_'), 'token_malformed'],
    ['another id', change(9), 'api_key_malformed'],
    ['another secret', change(30), 'api_key_malformed'],
    ['another checksum', change(70), 'api_key_malformed'],
    ['no id', (text) => text.replace(/_[^_]+_/, '__'), 'api_key_malformed'],
    ['the prefix alone', () => 'colophon_', 'api_key_malformed'],
    ['a character more', (text) => `${text}0`, 'api_key_malformed'],
    ['itself again', (text) => text + text, 'api_key_malformed'],
    ['small letters', (text) => text.toLowerCase(), 'api_key_malformed'],
    ['an escape', (text) => text.replace('_', '%5F'), 'token_malformed'],
  ])('is refused: %s', async (_what, changed, code) => {
    const text = changed(key);
    expect((await refused(() => bearerOf(`Bearer ${text}`), key)).code).toBe(`caller.${code}`);
    const type = text.startsWith('colophon_') ? ACCESS_TOKEN : `${TOKEN_TYPE}jwt`;
    const exchange = () => issuer.exchange({ subject_token: text, subject_token_type: type });
    expect((await refused(exchange, key)).code).toBe(`caller.${code}`);
  });

  it('every prefix of a key, and of a token, is refused', async () => {
    const token = forge.sign(jobClaims(issuer.url));
    const cut = (text: string, lengths: readonly number[]) => lengths.map((length) => text.slice(0, length));
    const all = Array.from({ length: key.length - 1 }, (_, i) => i + 1);
    const some = Array.from({ length: token.length - 1 }, (_, i) => i + 1).filter(
      (i) => i % 7 === 0 || i > token.length - 5,
    );
    for (const text of [...cut(key, all), ...cut(token, some)]) {
      expect((await refused(() => bearerOf(`Bearer ${text}`))).status).toBe(401);
    }
  });

  it('that was revoked, that has expired, or whose caller was revoked is refused', async () => {
    const revoked = await issuer.createKey('builder');
    await issuer.desk((desk) => desk.revokeKey(revoked.split('_')[1]!));
    expect((await refused(() => issuer.ask({ bearer: revoked }), revoked)).code).toBe('caller.api_key_revoked');
    const short = await issuer.desk((desk) => desk.createKey('builder', { lifetimeSeconds: 60 }));
    const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
    onTestFinished(() => later.mockRestore());
    expect((await refused(() => issuer.ask({ bearer: short.key }), short.key)).code).toBe('caller.api_key_expired');
    later.mockRestore();
    const left = await issuer.createKey('leaver');
    await issuer.desk((desk) => desk.revokeCaller('leaver'));
    expect((await refused(() => issuer.ask({ bearer: left }), left)).code).toBe('caller.revoked');
  });
});

describe('a token of this issuer', () => {
  it('is no credential, nor is an agent’s token for anybody else', async () => {
    const own = (await issuer.ask({ bearer: key })).body;
    expect((await refused(() => issuer.ask({ bearer: own }), own)).code).toBe('caller.token_issuer_untrusted');
    expect((await refused(() => issuer.exchange({ subject_token: own }), own)).code).toBe(
      'caller.token_issuer_untrusted',
    );
  });
});

describe('a token exchange', () => {
  const good = () => ({ subject_token: key, subject_token_type: ACCESS_TOKEN });
  const encoded = () => String(exchangeRequest(good()).body);
  const form = (body: string | Uint8Array) =>
    issuer.send({ headers: [['content-type', 'application/x-www-form-urlencoded']], body });

  it.each(['actor_token', 'actor_token_type', 'resource', 'scope'])('with %s is refused', async (name) => {
    for (const value of ['x', '']) {
      const answer = await refused(() => form(`${encoded()}&${name}=${value}`), key);
      expect(answer.code).toBe('issuer.form_parameter_unsupported');
    }
  });

  it.each(['grant_type', 'subject_token', 'subject_token_type', 'agent_name', 'model_id', 'human_reviewer'])(
    'with %s twice is refused, the same or not, escaped or not',
    async (name) => {
      const value = new URLSearchParams(encoded()).get(name)!;
      const escaped = name.replace(/./, (c) => `%${c.charCodeAt(0).toString(16)}`);
      for (const more of [`${name}=${encodeURIComponent(value)}`, `${name}=`, name, `${escaped}=evil`]) {
        expect((await refused(() => form(`${encoded()}&${more}`), key)).code).toBe('issuer.form_invalid');
        expect((await refused(() => form(`${more}&${encoded()}`), key)).code).toBe('issuer.form_invalid');
      }
    },
  );

  it.each<[string, Record<string, string | undefined>, string]>([
    ['a key that is called a JWT', { subject_token_type: `${TOKEN_TYPE}jwt` }, 'form_invalid'],
    ['a type that is nobody’s', { subject_token_type: `${TOKEN_TYPE}saml2` }, 'form_invalid'],
    ['a type in capitals', { subject_token_type: ACCESS_TOKEN.toUpperCase() }, 'form_invalid'],
    ['no type', { subject_token_type: undefined }, 'form_invalid'],
    ['a refresh token wanted', { requested_token_type: `${TOKEN_TYPE}refresh_token` }, 'form_invalid'],
    ['an access token wanted', { requested_token_type: ACCESS_TOKEN }, 'form_invalid'],
    ['no grant type', { grant_type: undefined }, 'form_invalid'],
    ['another grant type', { grant_type: 'client_credentials' }, 'grant_type_unsupported'],
    ['the password grant', { grant_type: 'password', username: 'x', password: 'y' }, 'grant_type_unsupported'],
    ['an empty credential', { subject_token: '' }, 'form_invalid'],
  ])('with %s is refused', async (_what, changes, code) => {
    expect((await refused(() => issuer.exchange({ ...good(), ...changes }), key)).code).toBe(`issuer.${code}`);
  });

  it.each<[string, string | Uint8Array]>([
    ['a broken escape', '&agent_version=%zz'],
    ['half an escape', '&x=%4'],
    ['bytes that are no UTF-8', '&x=%ff'],
    ['an escaped surrogate', '&x=%ED%A0%80'],
    ['an overlong slash', '&x=%c0%af'],
    ['a raw byte', '&x=\u00e9'],
    ['a line break', '\r\n'],
    ['a NUL', '\0'],
  ])('with %s is refused', async (_what, more) => {
    expect((await refused(() => form(encoded() + more), key)).code).toBe('issuer.form_invalid');
  });

  it.each([
    '__proto__',
    'constructor',
    'toString',
    '',
    'agent_name%00',
    'agent_name[]',
    '%EF%BB%BFagent_name',
    'client_id',
  ])('with the parameter "%s" is refused', async (name) => {
    expect((await refused(() => form(`${encoded()}&${name}=x`), key)).code).toBe('request.field_unknown');
  });

  it('takes a plus for a blank, and an escaped plus for a plus', async () => {
    const changed = (value: string) => encoded().replace(/agent_version=[^&]*/, `agent_version=${value}`);
    expect((await form(changed('1%2B2'))).claims).toMatchObject({ agent_version: '1+2' });
    expect((await refused(() => form(changed('1+2')))).code).toBe('request.field_invalid');
  });
});

describe('a claim that only the issuer sets', () => {
  it.each([
    'iss',
    'sub',
    'aud',
    'exp',
    'nbf',
    'iat',
    'jti',
    'cnf',
    'key_thumbprint',
    'claim_sources',
    'trigger',
    'agent_id',
    'email',
    'email_verified',
  ])('%s is refused, in JSON and in a form', async (claim) => {
    const json = () => issuer.ask({ bearer: key, body: { ...SIX_FIELDS, [claim]: 'x' } });
    const form = () => issuer.exchange({ subject_token: key, subject_token_type: ACCESS_TOKEN, [claim]: 'x' });
    expect((await refused(json, key)).code).toBe('request.claim_reserved');
    expect((await refused(form, key)).code).toBe('request.claim_reserved');
  });
});

describe('a Content-Type', () => {
  const CUT = [
    '',
    ' ',
    'json',
    'application',
    'application/',
    '/json',
    'text/json',
    'text/plain',
    '*/*',
    'application/*',
    'application/json;',
    'application/json; ',
    'application/json;;',
    'application/json; charset',
    'application/json; charset=',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; x=y',
    'application/json; x=y',
    'application/json, text/plain',
    'application/json,application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded, application/json',
    'application/json x',
    'application/json\t;x',
    'application/ json',
    'application /json',
    'application/json/',
    'application/jsonx',
    'xapplication/json',
    'application/json+x',
    'application/problem+json',
    'application/vnd.api+json',
    'application/json5',
    'application/jwt',
    'multipart/form-data',
    'multipart/form-data; boundary=application/json',
    'application/x-www-form-urlencoded;',
    'application/x-www-form-urlencoded; boundary=x',
    'application/x-www-form-urlencodedx',
    'application/x-www-form',
    'application/x-www-form-urlencoded; charset=latin1',
    '"application/json"',
    "application/json'",
  ];
  const bodies = () => [
    JSON.stringify(SIX_FIELDS),
    String(exchangeRequest({ subject_token: key, subject_token_type: ACCESS_TOKEN }).body),
  ];

  it.each(CUT)('"%s" is none of the two', async (type) => {
    for (const body of bodies()) {
      const headers = [
        ['content-type', type],
        ...(body.startsWith('{') ? [['authorization', `Bearer ${key}`] as const] : []),
      ] as const;
      expect((await refused(() => issuer.send({ headers, body }), key)).code).toBe('issuer.content_type_unsupported');
    }
  });

  it('that stands there twice, or not at all, is none', async () => {
    const twice = [JSON_TYPE, JSON_TYPE, ['authorization', `Bearer ${key}`]] as const;
    for (const headers of [twice, twice.slice(2)])
      expect((await refused(() => issuer.send({ headers, body: bodies()[0]! }), key)).status).toBe(415);
  });

  it('decides alone how a body is read: neither body passes as the other', async () => {
    const [json, form] = bodies();
    const bearer = ['authorization', `Bearer ${key}`] as const;
    const asJson = () => issuer.send({ headers: [JSON_TYPE, bearer], body: form! });
    const asForm = () =>
      issuer.send({ headers: [['content-type', 'application/x-www-form-urlencoded'], bearer], body: json! });
    expect((await refused(asJson, key)).code).toBe('json.syntax');
    expect((await refused(asForm, key)).code).toBe('issuer.form_invalid');
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('"%s" is JSON', async (type) => {
    const headers = [
      ['content-type', type],
      ['authorization', `Bearer ${key}`],
    ] as const;
    expect((await issuer.send({ headers, body: JSON.stringify(SIX_FIELDS) })).status).toBe(200);
  });
});

describe('another method, or another path', () => {
  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('%s gets no token', async (method) => {
    const headers = [JSON_TYPE, ['authorization', `Bearer ${key}`]] as const;
    const before = issuer.tokens().length;
    expect((await issuer.send({ method, headers, body: JSON.stringify(SIX_FIELDS) })).status).toBe(405);
    expect(issuer.tokens()).toHaveLength(before);
  });

  it.each([
    '/oauth/token/',
    '//oauth/token',
    '/oauth/../oauth/token',
    '/OAUTH/TOKEN',
    '/oauth/token%00',
    '/oauth/token;x',
    '/oauth%2ftoken',
    '/token',
    '/',
  ])('%s gets no token', async (path) => {
    const headers = [JSON_TYPE, ['authorization', `Bearer ${key}`]] as const;
    const before = issuer.tokens().length;
    expect((await issuer.send({ path, headers, body: JSON.stringify(SIX_FIELDS) })).claims).toBeUndefined();
    expect(issuer.tokens()).toHaveLength(before);
  });
});
