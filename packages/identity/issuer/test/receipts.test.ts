import { type Caller, compileCallers, compileRegistry, type TrustedWitness } from '@colophon/issuance';
import { formatInstant } from '@colophon/notation';
import {
  type ClaimSource,
  createWitnessReceiptStatement,
  DEFAULT_PREDICATE_BASE,
  parseClaimSources,
  RECEIPT_LIMITS,
  type ServedModel,
  type SourcedClaim,
  type WitnessReceipt,
} from '@colophon/records';
import { type Database, LedgerStore, openDatabase, SqliteLedger } from '@colophon/store';
import { SIX_FIELDS, seededBytes } from '@colophon/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApiKey } from '../src/api-key/api-key.ts';
import { CallerError, type IssuingRules, type WitnessBook } from '../src/index.ts';
import { claimsOf, ISSUER_URL, issuerFixture, ledgerSize, testKey } from './issuer-fixture.ts';

const ISOLATED = testKey('isolated witness', 'ES256');
const SAME_HOST = testKey('same-host witness', 'ES256');
const UNLISTED = testKey('unlisted witness', 'ES256');
const KEYS = {
  ci: createApiKey((length) => seededBytes('ci', length)),
  cd: createApiKey((length) => seededBytes('cd', length)),
};
/** When the fixture's clock stands, which is when the run ended. */
const NOW = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const IN_TOTO = 'application/vnd.in-toto+json';
const CANARY = 'canary-c0ffee';

const opus: ServedModel = { upstream: 'anthropic', served: SIX_FIELDS.model_id, answers: 3, output_tokens: 900 };
const RECEIPT: Omit<WitnessReceipt, 'witness'> = {
  run_id: '3f2b1c4d-0000-4000-8000-000000000001',
  issuer: ISSUER_URL,
  caller: 'ci',
  agent: { name: SIX_FIELDS.agent_name, version: SIX_FIELDS.agent_version },
  input: { prompt_hash: SIX_FIELDS.prompt_hash, prompt_seen: true },
  policy: { pack_hash: SIX_FIELDS.policy_pack_hash },
  started_at: formatInstant(NOW - 5 * MINUTE),
  ended_at: formatInstant(NOW),
  signed_at: formatInstant(NOW),
  upstreams: [{ name: 'anthropic', address: 'https://api.anthropic.com' }],
  models: [opus],
};

type Envelope = {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: ReadonlyArray<{ readonly keyid: string; readonly sig: string }>;
};

/** A payload in a DSSE envelope, signed with pre-authentication encoding as the protocol has it. */
async function enveloped(payload: string, key = ISOLATED, payloadType = IN_TOTO): Promise<Envelope> {
  const bytes = Buffer.from(payload);
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${bytes.length} `;
  const signature = await key.signDer(Buffer.concat([Buffer.from(head), bytes]));
  const sig = Buffer.from(signature).toString('base64');
  return { payloadType, payload: bytes.toString('base64'), signatures: [{ keyid: key.kid, sig }] };
}

type Changes = { readonly [member in keyof WitnessReceipt]?: WitnessReceipt[member] | undefined };

/** A receipt as a witness signs it, with anything else in it. */
async function receiptOf(
  changes: Changes = {},
  key = ISOLATED,
  place: WitnessReceipt['witness']['place'] = 'isolated',
): Promise<Envelope> {
  const receipt = { ...RECEIPT, witness: { key_id: key.kid, place }, ...changes };
  const statement = createWitnessReceiptStatement(
    JSON.parse(JSON.stringify(receipt)) as WitnessReceipt,
    DEFAULT_PREDICATE_BASE,
  );
  return enveloped(JSON.stringify(statement), key);
}

function bookOf(changes: Partial<TrustedWitness> = {}): WitnessBook {
  const listed = (name: string, { kid, publicKey }: typeof ISOLATED, place: TrustedWitness['place']) => {
    const upstreams = { anthropic: 'https://api.anthropic.com' };
    return [kid, { name, keyId: kid, publicKey, place, callers: ['ci', 'cd'], upstreams, ...changes }] as const;
  };
  return {
    byKeyId: new Map([listed('ci-witness', ISOLATED, 'isolated'), listed('laptop', SAME_HOST, 'same-host')]),
    predicateBase: DEFAULT_PREDICATE_BASE,
  };
}

function rulesOf(
  may: Partial<Caller['may']> = {},
  requiredSources: { readonly [claim in SourcedClaim]?: readonly ClaimSource[] } = {},
): IssuingRules {
  const rights = { agents: ['**'], ...may };
  const callers = (['ci', 'cd'] as const).map((name) => ({ name, apiKey: true, may: rights }));
  return {
    hash: 'sha256:0',
    asksCallers: true,
    callers: compileCallers(callers),
    trustedIssuers: new Map(),
    registry: compileRegistry({}),
    requiredClaims: [],
    requiredSources,
  };
}

type Asking = {
  readonly rules?: IssuingRules | undefined;
  readonly book?: WitnessBook | undefined;
};

/** An issuer whose callers `ci` and `cd` have an API key each. */
async function startIssuer({ rules = rulesOf(), book = bookOf() }: Asking = {}) {
  const records = {
    findKey: (id: string) => {
      const [caller, key] = Object.entries(KEYS).find(([, known]) => known.id === id) ?? [];
      if (caller === undefined || key === undefined) return undefined;
      const times = { created_at: 0, expires_at: NOW / 1000 + 86_400, revoked_at: null, last_used_at: null };
      return { key_id: id, caller, secret_hash: key.secretHash, ...times };
    },
    isRevoked: () => false,
  };
  const fixture = await issuerFixture(onTestFinished, {
    rules: () => ({ ...rules, witnesses: book }),
    callers: { records, onKeyUsed: () => {} },
    limits: { rate: { perSecond: 100_000, burst: 1_000_000 } },
  });
  const { post, clock } = fixture;
  clock.set(NOW);
  const ask = async (receipt: unknown, changes: object = {}, caller: keyof typeof KEYS = 'ci') => {
    const asked = { ...SIX_FIELDS, ...(receipt === undefined ? {} : { receipt }), ...changes };
    const { status, body } = await post(asked, { authorization: `Bearer ${KEYS[caller].text}` });
    return status === 200 ? { status, claims: claimsOf(body) } : { status, ...(JSON.parse(body) as Refusal) };
  };
  return { ...fixture, ask };
}

type Refusal = {
  readonly code: string;
  readonly field?: string;
  readonly error_description: string;
  readonly claims?: never;
};

const sourcesOf = (claims: Record<string, unknown> | undefined) => parseClaimSources(String(claims?.['claim_sources']));
const authorizations = (db: Database) =>
  [...new LedgerStore(db).rowsFrom()].map(({ authorization }) => authorization && JSON.parse(authorization));

describe('a receipt of a listed witness', () => {
  it('gives a token with the model that answered, and the ledger names witness, key, run and receipt', async () => {
    const { ask, db } = await startIssuer({ rules: rulesOf({}, { model_id: ['witness-isolated'] }) });
    const envelope = await receiptOf();
    const { status, claims } = await ask(envelope);
    expect(status).toBe(200);
    expect(claims).toMatchObject({ ...SIX_FIELDS, model_provider: 'anthropic' });
    expect(sourcesOf(claims)).toMatchObject({
      model_id: 'witness-isolated',
      model_provider: 'witness-isolated',
      prompt_hash: 'witness-isolated',
      agent_name: 'declared',
    });
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(envelope.payload, 'base64'));
    expect(authorizations(db)).toEqual([
      {
        configuration: 'sha256:0',
        caller: 'ci',
        credential: { kind: 'api-key', key_id: KEYS.ci.id },
        receipt: {
          witness: 'ci-witness',
          key_id: ISOLATED.kid,
          run_id: RECEIPT.run_id,
          receipt_hash: `sha256:${Buffer.from(digest).toString('hex')}`,
        },
      },
    ]);
  });

  it('counts for every token of its run, each of which names it', async () => {
    const { ask, db } = await startIssuer();
    const envelope = await receiptOf();
    expect((await ask(envelope)).status).toBe(200);
    const commit = { purpose: 'commit', human_reviewer: undefined, tree_sha: 'd'.repeat(40) };
    expect((await ask(envelope, commit)).status).toBe(200);
    expect(authorizations(db).map(({ receipt }) => receipt.run_id)).toEqual([RECEIPT.run_id, RECEIPT.run_id]);
  });

  it('may be larger than other requests are: it has long names, and many', async () => {
    const words = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, i) => prefix.repeat(250 / prefix.length) + i);
    const receipt = await receiptOf({
      response_ids: words('r', RECEIPT_LIMITS.responseIds),
      tools_invoked: words('t', RECEIPT_LIMITS.tools).map((name) => ({ name, count: 1 })),
    });
    expect(JSON.stringify(receipt).length).toBeGreaterThan(17 * 1024);
    const { post } = await issuerFixture(onTestFinished, { witnesses: () => bookOf() });
    expect(JSON.parse((await post({ ...SIX_FIELDS, receipt })).body).code).toBe('caller.receipt_other_caller');
    const without = await issuerFixture(onTestFinished);
    expect((await without.post({ ...SIX_FIELDS, receipt })).status).toBe(413);
  });

  it('where nobody is asked who they are is all that the ledger’s row names', async () => {
    const book = bookOf({ callers: undefined });
    const { post, db } = await issuerFixture(onTestFinished, { witnesses: () => book });
    const receipt = await receiptOf({ caller: undefined }, SAME_HOST, 'same-host');
    const { status, body } = await post({ ...SIX_FIELDS, receipt });
    expect(status).toBe(200);
    expect(sourcesOf(claimsOf(body))).toMatchObject({ model_id: 'witness-same-host' });
    expect(authorizations(db)).toMatchObject([{ receipt: { witness: 'laptop' } }]);
    expect((await post(SIX_FIELDS)).status).toBe(200);
    expect(authorizations(db).at(-1)).toBeNull();
  });

  it('is no better than its witness’s entry, whatever it says of itself', async () => {
    const { ask } = await startIssuer();
    const { status, claims } = await ask(await receiptOf({}, SAME_HOST, 'isolated'));
    expect([status, sourcesOf(claims)['model_id']]).toEqual([200, 'witness-same-host']);
    const strict = await startIssuer({ rules: rulesOf({}, { model_id: ['witness-isolated'] }) });
    expect(await strict.ask(await receiptOf({}, SAME_HOST, 'isolated'))).toMatchObject({
      status: 400,
      code: 'issuance.source_not_accepted',
      field: 'model_id',
    });
    expect(ledgerSize(strict.db)).toBe(0);
  });

  it('is no better than it says, whatever its witness’s entry says', async () => {
    const { ask } = await startIssuer();
    const { status, claims } = await ask(await receiptOf({}, ISOLATED, 'same-host'));
    expect([status, sourcesOf(claims)['model_id']]).toEqual([200, 'witness-same-host']);
  });

  it('is followed by the book of the moment: a witness that is taken off the list counts no more', async () => {
    let book: WitnessBook | undefined = bookOf();
    const { post } = await issuerFixture(onTestFinished, { witnesses: () => book });
    const receipt = await receiptOf();
    const code = async () => JSON.parse((await post({ ...SIX_FIELDS, receipt })).body).code;
    expect(await code()).toBe('caller.receipt_other_caller');
    book = { ...book, byKeyId: new Map() };
    expect(await code()).toBe('caller.receipt_witness_unknown');
    book = undefined;
    expect(await code()).toBe('caller.receipt_witness_unknown');
  });

  it('is none where the issuer lists no witnesses at all', async () => {
    const { post, db } = await issuerFixture(onTestFinished);
    const { status, body } = await post({ ...SIX_FIELDS, receipt: await receiptOf() });
    expect([status, JSON.parse(body).code]).toEqual([403, 'caller.receipt_witness_unknown']);
    expect(ledgerSize(db)).toBe(0);
  });
});

describe('a receipt is refused, and the ledger has no new row', () => {
  const OTHER_HASH = `sha256:${'ee'.repeat(32)}`;

  it.each<[string, () => Promise<unknown>, string, string, (object | undefined)?, ('ci' | 'cd')?]>([
    ['by a key that is not listed', () => receiptOf({}, UNLISTED), 'caller.receipt_witness_unknown', 'receipt'],
    ['of one caller, shown by another', () => receiptOf(), 'caller.receipt_other_caller', 'receipt', {}, 'cd'],
    ['that names no caller', () => receiptOf({ caller: undefined }), 'caller.receipt_other_caller', 'receipt'],
    [
      'for another issuer',
      () => receiptOf({ issuer: 'https://other.example' }),
      'caller.receipt_other_issuer',
      'receipt',
    ],
    ['of another agent', () => receiptOf(), 'caller.receipt_other_run', 'agent_name', { agent_name: 'code-fixer' }],
    ['of another version', () => receiptOf(), 'caller.receipt_other_run', 'agent_version', { agent_version: '1.4.3' }],
    ['of another prompt', () => receiptOf(), 'caller.receipt_other_run', 'prompt_hash', { prompt_hash: OTHER_HASH }],
    [
      'of another policy pack',
      () => receiptOf(),
      'caller.receipt_other_run',
      'policy_pack_hash',
      { policy_pack_hash: OTHER_HASH },
    ],
    [
      'of a run that ended 16 minutes ago',
      () => receiptOf({ ended_at: formatInstant(NOW - 16 * MINUTE) }),
      'caller.receipt_expired',
      'receipt',
    ],
    [
      'that is signed two minutes from now',
      () => receiptOf({ signed_at: formatInstant(NOW + 2 * MINUTE) }),
      'caller.receipt_expired',
      'receipt',
    ],
    [
      'of an upstream that is not listed',
      () => receiptOf({ upstreams: [{ name: 'anthropic', address: 'http://localhost:1' }] }),
      'caller.receipt_upstream_unknown',
      'receipt',
    ],
    [
      'with a model that its caller has no right to',
      () => receiptOf({ models: [opus, { ...opus, served: 'other', output_tokens: 1 }] }),
      'caller.model_not_allowed',
      'model_id',
    ],
    ['that is an empty object', async () => ({}), 'caller.receipt_malformed', 'receipt'],
    [
      'of another type than a statement',
      () => enveloped('{}', ISOLATED, 'text/plain'),
      'caller.receipt_malformed',
      'receipt',
    ],
    [
      'that is a statement of another predicate type',
      async () => {
        const { payload } = await receiptOf();
        const statement = JSON.parse(Buffer.from(payload, 'base64').toString());
        return enveloped(JSON.stringify({ ...statement, predicateType: `${DEFAULT_PREDICATE_BASE}/agent-run/v1` }));
      },
      'caller.receipt_malformed',
      'receipt',
    ],
    [
      'that names another witness than the one that signed it',
      () => receiptOf({ witness: { key_id: SAME_HOST.kid, place: 'isolated' } }),
      'caller.receipt_malformed',
      'receipt',
    ],
    [
      'that another key signed under the name of a listed one',
      async () => {
        const { signatures, ...rest } = await enveloped('{}', UNLISTED);
        return { ...rest, signatures: [{ ...signatures[0]!, keyid: ISOLATED.kid }] };
      },
      'caller.receipt_signature_invalid',
      'receipt',
    ],
  ])('%s', async (_which, makeReceipt, code, field, changes = {}, caller = 'ci') => {
    const { ask, db } = await startIssuer({ rules: rulesOf({ models: [SIX_FIELDS.model_id] }) });
    expect(CallerError.codes).toContain(code);
    expect(await ask(await makeReceipt(), changes, caller)).toMatchObject({ status: 403, code, field });
    expect(ledgerSize(db)).toBe(0);
    // Nothing but the receipt kept the token from them.
    expect((await ask(undefined, changes, caller)).status).toBe(200);
  });

  it('16 minutes after the end of its run, and not a minute before', async () => {
    const { ask, clock, db } = await startIssuer();
    const envelope = await receiptOf();
    clock.set(NOW + 15 * MINUTE);
    expect((await ask(envelope)).status).toBe(200);
    clock.set(NOW + 16 * MINUTE);
    expect(await ask(envelope)).toMatchObject({ status: 403, code: 'caller.receipt_expired' });
    // Its witness signs an ended run at any time; the run is not open again by that.
    const anew = await receiptOf({ signed_at: formatInstant(NOW + 16 * MINUTE) });
    expect(await ask(anew)).toMatchObject({ status: 403, code: 'caller.receipt_expired' });
    expect(ledgerSize(db)).toBe(1);
  });

  describe('at every position', () => {
    const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=';

    /** The envelope with one part in another way at each of its positions. */
    function* changedEnvelopes(envelope: Envelope, change: (text: string) => Iterable<string>): Generator<Envelope> {
      const [signature] = envelope.signatures;
      for (const payload of change(envelope.payload)) yield { ...envelope, payload };
      for (const sig of change(signature!.sig)) yield { ...envelope, signatures: [{ ...signature!, sig }] };
    }

    function* withOtherBytes(text: string): Generator<string> {
      const bytes = Buffer.from(text, 'base64');
      for (const [at, byte] of bytes.entries()) {
        const changed = Buffer.from(bytes);
        changed[at] = byte ^ (1 << (at % 8));
        yield changed.toString('base64');
      }
    }

    /** The next character: at the end of a text it may stand for the same bytes. */
    function* withOtherCharacters(text: string): Generator<string> {
      for (const [at, character] of [...text].entries()) {
        const other = BASE64[(BASE64.indexOf(character) + 1) % BASE64.length]!;
        yield text.slice(0, at) + other + text.slice(at + 1);
      }
    }

    it.each([
      ['byte', withOtherBytes, ['403 caller.receipt_signature_invalid']],
      ['character', withOtherCharacters, ['403 caller.receipt_malformed', '403 caller.receipt_signature_invalid']],
    ] as const)('with another %s in its payload or its signature', async (_what, change, expected) => {
      const { issuer, db } = await startIssuer();
      const envelope = await receiptOf();
      const outcomeOf = async (receipt: Envelope) => {
        const body = Buffer.from(JSON.stringify({ ...SIX_FIELDS, receipt }));
        const minted = await issuer.mint(body, { authorization: `Bearer ${KEYS.ci.text}` });
        return minted.ok ? 'a token' : `${minted.refusal.status} ${minted.refusal.code}`;
      };
      const outcomes: string[] = [];
      for (const changed of changedEnvelopes(envelope, change)) outcomes.push(await outcomeOf(changed));
      expect(outcomes.length).toBeGreaterThan(1_000);
      expect([...new Set(outcomes)].sort()).toEqual(expected);
      expect(ledgerSize(db)).toBe(0);
      expect(await outcomeOf(envelope)).toBe('a token');
    });
  });

  it('in a request that it contradicts, which is no matter of the caller', async () => {
    const { ask, db } = await startIssuer();
    const envelope = await receiptOf({ models: [{ ...opus, served: 'another-model' }] });
    expect(await ask(envelope)).toMatchObject({ status: 400, code: 'issuance.claim_contradicted', field: 'model_id' });
    expect(await ask(await receiptOf(), { model_provider: 'openai' })).toMatchObject({
      status: 400,
      code: 'issuance.claim_contradicted',
      field: 'model_provider',
    });
    expect(ledgerSize(db)).toBe(0);
  });
});

describe('a request with something else for a receipt is refused', () => {
  it.each([
    ['null', null, 'request.field_null'],
    ['a number', 7, 'request.field_type'],
    ['true', true, 'request.field_type'],
    ['a list', [], 'request.field_type'],
    ['no JSON as text', 'receipt', 'request.field_invalid'],
    ['a list as text', '[]', 'request.field_invalid'],
    ['nothing as text', '', 'request.field_invalid'],
    ['text with a member twice', '{"payload":"a","payload":"b"}', 'request.field_invalid'],
  ])('%s', async (_what, receipt, code) => {
    const { ask, db } = await startIssuer();
    expect(await ask(receipt)).toMatchObject({ status: 400, code, field: 'receipt' });
    expect(ledgerSize(db)).toBe(0);
  });

  it('of a reviewer, who has no run', async () => {
    const { post, db } = await startIssuer({ rules: rulesOf({ purposes: ['review'] }) });
    const review = { purpose: 'review', human_reviewer: 'alice@example.com', receipt: await receiptOf() };
    const { status, body } = await post(review, { authorization: `Bearer ${KEYS.ci.text}` });
    expect({ status, ...JSON.parse(body) }).toMatchObject({
      status: 400,
      code: 'request.field_unknown',
      field: 'receipt',
    });
    expect(ledgerSize(db)).toBe(0);
  });
});

describe('a token exchange', () => {
  async function exchange(receipt: string | readonly string[]) {
    const issuer = await startIssuer();
    const parameters = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: KEYS.ci.text,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      ...SIX_FIELDS,
    });
    for (const one of [receipt].flat()) parameters.append('receipt', one);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body } = await issuer.post(parameters.toString(), headers);
    return { ...issuer, status, answer: JSON.parse(body) as { access_token: string } & Refusal };
  }

  it('takes a receipt as JSON in a parameter', async () => {
    const { status, answer, db } = await exchange(JSON.stringify(await receiptOf()));
    expect(status).toBe(200);
    expect(sourcesOf(claimsOf(answer.access_token))['model_id']).toBe('witness-isolated');
    expect(authorizations(db)).toMatchObject([{ caller: 'ci', receipt: { run_id: RECEIPT.run_id } }]);
  });

  it.each<[string, () => Promise<string | readonly string[]>, number, string]>([
    [
      'by an unlisted key',
      async () => JSON.stringify(await receiptOf({}, UNLISTED)),
      403,
      'caller.receipt_witness_unknown',
    ],
    ['that is empty', async () => '', 400, 'request.field_invalid'],
    ['that is the word null', async () => 'null', 400, 'request.field_invalid'],
    [
      'in base64',
      async () => Buffer.from(JSON.stringify(await receiptOf())).toString('base64'),
      400,
      'request.field_invalid',
    ],
    ['twice', async () => Array(2).fill(JSON.stringify(await receiptOf())), 400, 'issuer.form_invalid'],
  ])('refuses a receipt %s', async (_which, makeReceipt, status, code) => {
    const refused = await exchange(await makeReceipt());
    expect({ status: refused.status, ...refused.answer }).toMatchObject({ status, code, field: 'receipt' });
    expect(ledgerSize(refused.db)).toBe(0);
  });
});

it('nothing of a receipt or a prompt is in a refusal, in the log of refusals, or in the log', async () => {
  const { ask, issuer, logger } = await startIssuer();
  const models = [{ ...opus, served: `${CANARY}-model`, requested: `${CANARY}-requested` }];
  const said = {
    models,
    agent: { name: `${CANARY}-agent`, version: CANARY },
    response_ids: [`${CANARY}-id`],
    tools_invoked: [{ name: `${CANARY}-tool`, count: 1 }],
  };
  const contradicting = await receiptOf({ models });
  const envelopes = [
    await receiptOf(said),
    await receiptOf(said, UNLISTED),
    await receiptOf({ ...said, issuer: `https://${CANARY}.example` }),
    await receiptOf({ models, caller: CANARY }),
    await receiptOf({ models, upstreams: [{ name: CANARY, address: `https://${CANARY}.example` }] }),
    contradicting,
    { ...contradicting, payload: Buffer.from(CANARY).toString('base64') },
    { [CANARY]: CANARY },
    `${CANARY} as text`,
  ];
  const shown: string[] = [];
  for (const envelope of envelopes) {
    const refusal = await ask(envelope);
    expect([400, 403]).toContain(refusal.status);
    shown.push(JSON.stringify(refusal));
  }
  const all = [...shown, ...logger.lines, JSON.stringify(issuer.refusals())].join('\n');
  expect(issuer.refusals()).toHaveLength(envelopes.length);
  expect(all).toContain('"field":"receipt"');
  for (const secret of [CANARY, SIX_FIELDS.prompt_hash.slice('sha256:'.length), contradicting.payload.slice(0, 24)]) {
    expect(all).not.toContain(secret);
  }
});

it('a ledger that cannot be written gives no token, also with a receipt', async () => {
  const db = openDatabase(':memory:');
  const { post } = await issuerFixture(onTestFinished, {
    db,
    ledger: new SqliteLedger(db),
    witnesses: () => bookOf({ callers: undefined }),
  });
  db.sqlite.exec('PRAGMA query_only = 1');
  const receipt = await receiptOf({ caller: undefined });
  const { status, body } = await post({ ...SIX_FIELDS, receipt });
  expect([status, JSON.parse(body).code]).toEqual([503, 'issuer.ledger_unavailable']);
  expect(ledgerSize(db)).toBe(0);
});
