import { createHmac } from 'node:crypto';
import { CallerDesk } from '@colophon/issuer';
import { openDatabase } from '@colophon/store';
import { encodeSegment, makeIssuerKey, mintToken, SIX_FIELDS } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import {
  exchangeRequest,
  foreignIssuer,
  githubCaller,
  jobClaims,
  type Request,
  runIssuer,
  SHA,
  TOKEN_TYPE,
  WORKFLOW,
} from './running-issuer.ts';

/** `json` and `form` say how a request with it is refused; `good` credentials are refused by what they ask for. */
type Credential = {
  readonly name: string;
  readonly show: () => string | readonly string[] | undefined;
  readonly json: string;
  readonly form?: string;
};

const GOOD = 'good';

/** What is asked for, and the code of a caller with a good credential; `undefined` gets a token. */
const ASKS: ReadonlyArray<readonly [name: string, body: Record<string, string | undefined>, code?: string]> = [
  ['its agent', {}],
  ['a commit of its agent', { purpose: 'commit', tree_sha: SHA }],
  ['another’s agent', { agent_name: 'payroll' }, 'caller.agent_not_allowed'],
  ['a suspended agent', { agent_name: 'sleeping' }, 'issuance.agent_inactive'],
  ['an unregistered agent', { agent_name: 'ghost-1' }, 'issuance.agent_unregistered'],
  ['an unregistered version', { agent_version: '9' }, 'issuance.agent_version_unregistered'],
  ['an unregistered model', { model_id: 'small-model' }, 'caller.model_not_allowed'],
  ['another’s provider', { model_provider: 'other' }, 'issuance.claim_contradicted'],
  ['another’s audience', { audience: 'staging' }, 'caller.audience_not_allowed'],
  ['an audience of nobody', { audience: 'vault' }, 'issuance.audience_not_allowed'],
  ['a reserved claim', { sub: 'agent:payroll' }, 'request.claim_reserved'],
  ['a field that nobody knows', { role: 'admin' }, 'request.field_unknown'],
  ['a hash in the wrong form', { prompt_hash: 'md5:abc' }, 'request.field_invalid'],
  ['a request without a model', { model_id: undefined }, 'request.field_missing'],
];

test('every credential, by every way in, for every request is answered as it must be: at least 400 cells', {
  timeout: 60_000,
}, async () => {
  const [forge, stranger] = [await foreignIssuer(onTestFinished), await foreignIssuer(onTestFinished)];
  const may = {
    agents: [SIX_FIELDS.agent_name, 'sleeping', 'ghost-*'],
    models: ['large-*'],
    audiences: ['sigstore'],
  };
  const where = { repository_id: '42', job_workflow_ref: WORKFLOW };
  const issuer = await runIssuer(onTestFinished, (url) => ({
    tokens: { algorithm: 'ES256', audiences: ['sigstore', 'staging'] },
    callers: [
      { name: 'builder', apiKey: true, may },
      { name: 'leaver', apiKey: true, may },
      githubCaller(forge.url, url, { may, oidc: { where } }),
      githubCaller(forge.url, url, { name: 'two', may, oidc: { where: { ...where, environment: 'prod' } } }),
      githubCaller(forge.url, url, { name: 'withdrawn', may, oidc: { where: { ...where, repository_id: '77' } } }),
    ],
    agents: [
      { name: SIX_FIELDS.agent_name, versions: ['1.*'] },
      { name: 'payroll' },
      { name: 'sleeping', state: 'suspended' },
    ],
    models: [{ id: 'large-*', provider: 'vendor' }],
  }));
  const { url } = issuer;
  const key = await issuer.createKey('builder');
  const revoked = await issuer.createKey('builder');
  await issuer.desk((desk) => desk.revokeKey(revoked.split('_')[1]!));
  const ofLeaver = await issuer.createKey('leaver');
  await issuer.desk((desk) => desk.revokeCaller('leaver'));
  await issuer.desk((desk) => desk.revokeCaller('withdrawn'));
  const ofNobody = await issuer.createKey('nobody');
  const elsewhere = (await new CallerDesk(openDatabase(':memory:')).createKey('builder')).key;
  const own = (await issuer.ask({ bearer: key })).body;
  const now = Math.floor(Date.now() / 1000);
  const job = (claims: object = {}, header: object = {}) => forge.sign(jobClaims(url, claims), { ...header });
  const attacker = makeIssuerKey('ES256', forge.published[0]!.kid!);
  const withMac = () => {
    const input = [{ alg: 'HS256', kid: attacker.kid, typ: 'JWT' }, jobClaims(url, { iss: forge.url })]
      .map(encodeSegment)
      .join('.');
    return `${input}.${createHmac('sha256', JSON.stringify(forge.published[0])).update(input).digest('base64url')}`;
  };
  const credentials: readonly Credential[] = [
    { name: 'an API key', show: () => key, json: GOOD },
    { name: 'a job’s token', show: () => job(), json: GOOD },
    { name: 'none', show: () => undefined, json: 'caller.credential_missing', form: 'issuer.form_invalid' },
    {
      name: 'Basic',
      show: () => [`Basic ${btoa(key)}`],
      json: 'caller.scheme_unsupported',
      form: 'issuer.form_invalid',
    },
    {
      name: 'two',
      show: () => [`Bearer ${key}`, `Bearer ${key}`],
      json: 'caller.several_credentials',
      form: 'issuer.form_invalid',
    },
    { name: 'a cut key', show: () => key.slice(0, -1), json: 'caller.api_key_malformed' },
    {
      name: 'a mistyped key',
      show: () => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      json: 'caller.api_key_malformed',
    },
    { name: 'a key of another installation', show: () => elsewhere, json: 'caller.api_key_unknown' },
    { name: 'a revoked key', show: () => revoked, json: 'caller.api_key_revoked' },
    { name: 'a key of a revoked caller', show: () => ofLeaver, json: 'caller.revoked' },
    { name: 'a key of nobody in the file', show: () => ofNobody, json: 'caller.unknown' },
    { name: 'a token of a revoked caller', show: () => job({ repository_id: '77' }), json: 'caller.revoked' },
    {
      name: 'a token of an unknown issuer',
      show: () => stranger.sign(jobClaims(url)),
      json: 'caller.token_issuer_untrusted',
    },
    { name: 'a token of this issuer', show: () => own, json: 'caller.token_issuer_untrusted' },
    {
      name: 'a forged token',
      show: () => mintToken(attacker, jobClaims(url, { iss: forge.url })),
      json: 'caller.token_signature_invalid',
    },
    { name: 'a token with a MAC', show: withMac, json: 'caller.token_algorithm_refused' },
    { name: 'a token by no key', show: () => job({}, { kid: 'other' }), json: 'caller.token_key_unknown' },
    {
      name: 'a token for others',
      show: () => job({ aud: 'https://other.example' }),
      json: 'caller.token_audience_wrong',
    },
    { name: 'a token for several', show: () => job({ aud: [url, 'sigstore'] }), json: 'caller.token_audience_wrong' },
    {
      name: 'an expired token',
      show: () => job({ iat: now - 900, nbf: now - 900, exp: now - 60 }),
      json: 'caller.token_expired',
    },
    { name: 'a token without exp', show: () => job({ exp: undefined }), json: 'caller.token_claim_invalid' },
    { name: 'another repository’s token', show: () => job({ repository_id: '43' }), json: 'caller.unknown' },
    { name: 'a token of two callers', show: () => job({ environment: 'prod' }), json: 'caller.ambiguous' },
    {
      name: 'a token of a stranger’s event',
      show: () => job({ event_name: 'issue_comment' }),
      json: 'caller.event_refused',
    },
  ];
  let cells = 0;
  const wrong: string[] = [];
  const tokensBefore = issuer.tokens().length;
  const linesBefore = issuer.lines().length;
  let [minted, refusals] = [0, 0];
  for (const { name, show, json, form = json } of credentials) {
    for (const [asked, changes, code] of ASKS) {
      for (const way of ['json', 'form', 'form and header'] as const) {
        const { expected, request } = cell(way, show(), { json, form, code }, changes);
        const answer = await issuer.send(request);
        const got = answer.claims === undefined ? answer.code : undefined;
        if (got !== expected) wrong.push(`${name}, ${way}, ${asked}: ${got}, and not ${expected}`);
        if (answer.claims === undefined) refusals += 1;
        else minted += 1;
        cells += 1;
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(cells).toBeGreaterThanOrEqual(400);
  // Two good credentials, two ways that count, two requests that are fine.
  expect([minted, issuer.tokens().length - tokensBefore]).toEqual([8, 8]);
  const logged = issuer.lines().slice(linesBefore);
  expect(logged.filter(({ msg }) => msg === 'token refused')).toHaveLength(refusals);
});

/** One request, and its refusal; `undefined` where it gets a token. */
function cell(
  way: 'json' | 'form' | 'form and header',
  credential: string | readonly string[] | undefined,
  codes: { readonly json: string; readonly form: string; readonly code: string | undefined },
  changes: Readonly<Record<string, string | undefined>>,
): { readonly expected: string | undefined; readonly request: Request } {
  const bearer = typeof credential === 'string' ? [`Bearer ${credential}`] : (credential ?? []);
  const headers = bearer.map((value) => ['authorization', value] as const);
  const refused = (code: string) => (code === GOOD ? codes.code : code);
  if (way === 'json') {
    return {
      expected: refused(codes.json),
      request: {
        headers: [['content-type', 'application/json'], ...headers],
        body: JSON.stringify({ ...SIX_FIELDS, ...changes }),
      },
    };
  }
  const subject = typeof credential === 'string' ? credential : undefined;
  const type = subject?.startsWith('colophon_') ? 'access_token' : 'jwt';
  const request = exchangeRequest({ subject_token: subject, subject_token_type: TOKEN_TYPE + type, ...changes });
  if (way === 'form') {
    const shown = subject === undefined ? headers : [];
    return { expected: refused(codes.form), request: { ...request, headers: [...request.headers!, ...shown] } };
  }
  return {
    expected: subject === undefined ? codes.form : 'caller.several_credentials',
    request: { ...request, headers: [...request.headers!, ...headers] },
  };
}
