import { formatInstant } from '@colophon/notation';
import type { CommitTokenRequest, ServedModel, TokenRequest, WitnessReceipt } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideReceipt,
  RECEIPT_REFUSAL_CODES,
  RECEIPT_SECONDS,
  RECEIPT_SKEW_SECONDS,
  type ReceiptGrounds,
  type TrustedWitness,
} from './receipt-decision.ts';

const ISSUER = 'https://agents.example.com';
const ANTHROPIC = { name: 'anthropic', address: 'https://api.anthropic.com' } as const;
const PROMPT = 'a'.repeat(64);
const PACK = 'b'.repeat(64);
const MINUTE = 60;
/** 2026-11-27T10:00:00Z, in seconds: when the run ended and its receipt was signed. */
const ENDED = Date.UTC(2026, 10, 27, 10) / 1000;
const at = (seconds: number) => formatInstant(seconds * 1000);

const request: Exclude<TokenRequest, { purpose: 'review' }> = {
  purpose: 'artifact',
  agent_name: 'code-writer',
  agent_version: '2.4.1',
  model_id: 'claude-opus-4-1',
  prompt_hash: `sha256:${PROMPT}`,
  policy_pack_hash: `sha256:${PACK}`,
  human_reviewer: 'alice@example.com',
};
const opus: ServedModel = { upstream: 'anthropic', served: 'claude-opus-4-1', answers: 3, output_tokens: 900 };
const haiku: ServedModel = { upstream: 'anthropic', served: 'claude-haiku-4-5', answers: 9, output_tokens: 90 };
const receipt: WitnessReceipt = {
  run_id: '3f2b1c4d-0000-4000-8000-000000000001',
  witness: { key_id: 'A'.repeat(43), place: 'isolated' },
  issuer: ISSUER,
  caller: 'ci',
  agent: { name: 'code-writer', version: '2.4.1' },
  input: { prompt_hash: `sha256:${PROMPT}`, prompt_seen: true },
  policy: { pack_hash: `sha256:${PACK}` },
  started_at: at(ENDED - 5 * MINUTE),
  ended_at: at(ENDED),
  signed_at: at(ENDED),
  upstreams: [ANTHROPIC],
  models: [opus],
};
const witness: TrustedWitness = {
  name: 'ci-witness',
  keyId: 'A'.repeat(43),
  place: 'isolated',
  callers: ['ci', 'cd'],
  upstreams: { anthropic: ANTHROPIC.address },
};
const grounds: ReceiptGrounds = { witness, caller: 'ci', issuer: ISSUER, now: ENDED + MINUTE };

type Changes = {
  readonly receipt?: Partial<WitnessReceipt>;
  readonly request?: Partial<typeof request>;
  readonly witness?: Partial<TrustedWitness>;
  readonly grounds?: Partial<ReceiptGrounds>;
};
const without = <Key extends keyof WitnessReceipt>(key: Key): Partial<WitnessReceipt> => ({ [key]: undefined });

const decide = (changes: Changes = {}) =>
  decideReceipt(
    JSON.parse(JSON.stringify({ ...receipt, ...changes.receipt })) as WitnessReceipt,
    { ...request, ...changes.request } as TokenRequest,
    { ...grounds, witness: { ...witness, ...changes.witness }, ...changes.grounds },
  );

/** `ok`, or the code and the claim that is to blame. */
function outcome(changes: Changes = {}): string {
  const decision = decide(changes);
  if (decision.ok) return 'ok';
  expect(RECEIPT_REFUSAL_CODES).toContain(decision.code);
  expect(decision.message, decision.code).toMatch(/\w/);
  return `${decision.code} ${decision.field}`;
}

function evidenceOf(changes: Changes = {}) {
  const decision = decide(changes);
  if (!decision.ok) throw new Error(decision.code);
  return decision.evidence;
}

const OTHER_CALLER = 'caller.receipt_other_caller receipt';
const EXPIRED = 'caller.receipt_expired receipt';
const UPSTREAM_UNKNOWN = 'caller.receipt_upstream_unknown receipt';

it('a receipt of the run confirms its model, the model’s provider and its prompt', () => {
  expect(decide()).toEqual({
    ok: true,
    evidence: {
      source: 'witness-isolated',
      claims: {
        model_id: 'claude-opus-4-1',
        model_provider: 'anthropic',
        prompt_hash: `sha256:${PROMPT}`,
      },
    },
    servedModels: ['claude-opus-4-1'],
  });
});

it('a receipt is of no use for a review', () => {
  const review: TokenRequest = { purpose: 'review', human_reviewer: 'alice@example.com' };
  expect(() => decideReceipt(receipt, review, grounds)).toThrow(TypeError);
});

it('a commit’s token may be asked for by the same receipt', () => {
  const { human_reviewer: _, ...run } = request;
  const commit: CommitTokenRequest = { ...run, purpose: 'commit', tree_sha: 'c'.repeat(40) };
  expect(decideReceipt(receipt, commit, grounds)).toMatchObject({ ok: true });
});

describe('whose receipt it is', () => {
  it.each<[string, Changes, string]>([
    ['the caller that opened the run', {}, 'ok'],
    ['another one that the witness is listed for', { grounds: { caller: 'cd' } }, OTHER_CALLER],
    ['a caller whose name begins alike', { grounds: { caller: 'ci2' }, witness: { callers: ['ci2'] } }, OTHER_CALLER],
    [
      'a caller with the name in another case',
      { grounds: { caller: 'CI' }, witness: { callers: ['CI'] } },
      OTHER_CALLER,
    ],
    ['its caller, for which the witness is not listed', { witness: { callers: ['cd'] } }, OTHER_CALLER],
    ['its caller, of a witness that is listed for nobody', { witness: { callers: [] } }, OTHER_CALLER],
    ['a caller, with a receipt that names none', { receipt: without('caller') }, OTHER_CALLER],
    ['a caller, where every caller may show it', { witness: { callers: undefined } }, 'ok'],
    [
      'another caller, where every caller may show it',
      { witness: { callers: undefined }, grounds: { caller: 'cd' } },
      OTHER_CALLER,
    ],
  ])('shown by %s', (_who, changes, expected) => {
    expect(outcome(changes)).toBe(expected);
  });

  const nobody = { caller: undefined };

  it.each<[string, Changes, string]>([
    ['of nobody', { receipt: without('caller'), witness: { callers: undefined } }, 'ok'],
    ['of a caller', { witness: { callers: undefined } }, OTHER_CALLER],
    ['of nobody, by a witness that is listed for callers', { receipt: without('caller') }, OTHER_CALLER],
  ])('where nobody is asked who they are: a receipt %s', (_whose, changes, expected) => {
    expect(outcome({ ...changes, grounds: nobody })).toBe(expected);
  });
});

describe('the issuer that a receipt names', () => {
  it.each([
    ['is this one', ISSUER, 'ok'],
    ['is another one', 'https://other.example.com', 'caller.receipt_other_issuer receipt'],
    ['has a slash at its end', `${ISSUER}/`, 'caller.receipt_other_issuer receipt'],
    ['has a path below this one', `${ISSUER}/a`, 'caller.receipt_other_issuer receipt'],
    ['is not said', undefined, 'caller.receipt_other_issuer receipt'],
  ])('%s', (_title, issuer, expected) => {
    expect(outcome({ receipt: { issuer } as Partial<WitnessReceipt> })).toBe(expected);
  });
});

describe('the run that a receipt is of', () => {
  const OTHER = 'c'.repeat(64);

  it.each<[string, Partial<WitnessReceipt>]>([
    ['agent_name', { agent: { name: 'code-fixer', version: '2.4.1' } }],
    ['agent_name', { agent: { name: 'Code-Writer', version: '2.4.1' } }],
    ['agent_version', { agent: { name: 'code-writer', version: '2.4.10' } }],
    ['prompt_hash', { input: { prompt_hash: `sha256:${OTHER}`, prompt_seen: true } }],
    ['policy_pack_hash', { policy: { pack_hash: `sha256:${OTHER}` } }],
  ])('has the %s of the request, or the receipt is refused with that claim', (claim, changes) => {
    expect(outcome({ receipt: changes })).toBe(`caller.receipt_other_run ${claim}`);
  });

  it('is named by the first claim that differs, and by no value', () => {
    const decision = decide({ receipt: { agent: { name: 'x', version: 'y' }, policy: { pack_hash: OTHER } } });
    expect(decision).toMatchObject({ field: 'agent_name', message: expect.not.stringContaining('code-writer') });
  });

  it.each([
    ['without its algorithm', PROMPT, PACK],
    ['in capitals', PROMPT.toUpperCase(), PACK.toUpperCase()],
    ['in capitals with its algorithm', `sha256:${PROMPT.toUpperCase()}`, `sha256:${PACK.toUpperCase()}`],
  ])('is the same where a hash of the request is written %s', (_how, prompt_hash, policy_pack_hash) => {
    expect(outcome({ request: { prompt_hash, policy_pack_hash } })).toBe('ok');
  });

  it('may have another model than the request: that is a matter of the claims', () => {
    expect(outcome({ request: { model_id: 'other', model_provider: 'other' } })).toBe('ok');
  });
});

describe('the time of a receipt', () => {
  const OPEN = without('ended_at');

  it.each<[string, number, Partial<WitnessReceipt>, string]>([
    ['while the run is open', ENDED, OPEN, 'ok'],
    ['15 minutes after it was signed, with the run open then', ENDED + 15 * MINUTE, OPEN, 'ok'],
    ['a second later', ENDED + 15 * MINUTE + 1, OPEN, EXPIRED],
    ['15 minutes after the end', ENDED + 15 * MINUTE, {}, 'ok'],
    ['16 minutes after the end', ENDED + 16 * MINUTE, {}, EXPIRED],
    [
      '16 minutes after the end, signed anew just now',
      ENDED + 16 * MINUTE,
      { signed_at: at(ENDED + 16 * MINUTE) },
      EXPIRED,
    ],
    [
      '15 minutes after the end, signed anew just now',
      ENDED + 15 * MINUTE,
      { signed_at: at(ENDED + 15 * MINUTE) },
      'ok',
    ],
    ['a day after the end, signed anew just now', ENDED + 86_400, { signed_at: at(ENDED + 86_400) }, EXPIRED],
    ['signed a minute from now', ENDED - MINUTE, {}, 'ok'],
    ['signed more than a minute from now', ENDED - MINUTE - 1, {}, EXPIRED],
    ['signed in a year', ENDED, { ...OPEN, signed_at: at(ENDED + 365 * 86_400) }, EXPIRED],
    [
      '15 minutes after it was signed, with an end to come',
      ENDED + 15 * MINUTE,
      { ended_at: at(ENDED + 86_400) },
      'ok',
    ],
    [
      '16 minutes after it was signed, with an end to come',
      ENDED + 16 * MINUTE,
      { ended_at: at(ENDED + 86_400) },
      EXPIRED,
    ],
    ['signed in a part of a second that has begun', ENDED - MINUTE, { signed_at: at(ENDED + 0.999) }, 'ok'],
  ])('%s', (_when, now, changes, expected) => {
    expect(outcome({ receipt: changes, grounds: { now } })).toBe(expected);
  });

  it('ends for every receipt 15 minutes after its run did, whatever else it says', () => {
    const times = fc.record({
      ended: fc.integer({ min: ENDED - 86_400, max: ENDED + 86_400 }),
      signed: fc.integer({ min: ENDED - 86_400, max: ENDED + 86_400 }),
      now: fc.integer({ min: ENDED - 86_400, max: ENDED + 86_400 }),
    });
    let taken = 0;
    fc.assert(
      fc.property(times, ({ ended, signed, now }) => {
        const said = { ended_at: at(ended), signed_at: at(signed) };
        if (outcome({ receipt: said, grounds: { now } }) !== 'ok') return;
        taken += 1;
        expect(now).toBeLessThanOrEqual(Math.min(ended, signed) + RECEIPT_SECONDS);
        expect(now).toBeGreaterThanOrEqual(signed - RECEIPT_SKEW_SECONDS);
      }),
      { numRuns: 5_000 },
    );
    expect(taken).toBeGreaterThan(5);
  });
});

describe('the upstreams of a receipt', () => {
  const GATEWAY = 'https://gw.example/v1';

  it.each<[string, Array<{ name: string; address: string }>, Record<string, string> | undefined, string]>([
    ['under its listed name and address', [ANTHROPIC], { anthropic: ANTHROPIC.address }, 'ok'],
    [
      'with a slash at the end of its own address',
      [{ ...ANTHROPIC, address: `${ANTHROPIC.address}/` }],
      { anthropic: ANTHROPIC.address },
      'ok',
    ],
    ['with a slash at the end of the listed address', [ANTHROPIC], { anthropic: `${ANTHROPIC.address}/` }, 'ok'],
    ['under another name', [{ ...ANTHROPIC, name: 'claude' }], { anthropic: ANTHROPIC.address }, UPSTREAM_UNKNOWN],
    [
      'at another address under a listed name',
      [{ ...ANTHROPIC, address: GATEWAY }],
      { anthropic: ANTHROPIC.address },
      UPSTREAM_UNKNOWN,
    ],
    [
      'at an address that begins alike',
      [{ ...ANTHROPIC, address: `${ANTHROPIC.address}.evil.example` }],
      { anthropic: ANTHROPIC.address },
      UPSTREAM_UNKNOWN,
    ],
    [
      'at the listed address, but in plain text',
      [{ ...ANTHROPIC, address: 'http://api.anthropic.com' }],
      { anthropic: ANTHROPIC.address },
      UPSTREAM_UNKNOWN,
    ],
    [
      'below the listed address',
      [{ ...ANTHROPIC, address: `${ANTHROPIC.address}/v1` }],
      { anthropic: ANTHROPIC.address },
      UPSTREAM_UNKNOWN,
    ],
    [
      'with the listed address of another name',
      [{ ...ANTHROPIC, address: GATEWAY }],
      { anthropic: ANTHROPIC.address, gateway: GATEWAY },
      UPSTREAM_UNKNOWN,
    ],
    [
      'beside a listed one',
      [ANTHROPIC, { name: 'gateway', address: GATEWAY }],
      { anthropic: ANTHROPIC.address },
      UPSTREAM_UNKNOWN,
    ],
    [
      'twice under one name, once at another address',
      [ANTHROPIC, { ...ANTHROPIC, address: GATEWAY }],
      { anthropic: ANTHROPIC.address },
      UPSTREAM_UNKNOWN,
    ],
    [
      'under a name that every object has',
      [{ name: 'constructor', address: GATEWAY }],
      { anthropic: ANTHROPIC.address },
      UPSTREAM_UNKNOWN,
    ],
    ['where none is listed', [{ name: 'gateway', address: GATEWAY }], undefined, 'ok'],
    ['where the list is empty', [ANTHROPIC], {}, UPSTREAM_UNKNOWN],
    ['none, where some are listed', [], { anthropic: ANTHROPIC.address }, 'ok'],
  ])('are taken or not: %s', (_which, reached, upstreams, expected) => {
    expect(outcome({ receipt: { upstreams: reached }, witness: { upstreams } })).toBe(expected);
  });

  it('give the provider its name, which is no word of an answer', () => {
    const self = { upstream: 'self-hosted', served: 'claude-opus-4-1', answers: 1 };
    const upstreams = [{ name: 'self-hosted', address: GATEWAY }, ANTHROPIC];
    const { claims } = evidenceOf({ receipt: { upstreams, models: [self] }, witness: { upstreams: undefined } });
    expect(claims).toMatchObject({ model_id: 'claude-opus-4-1', model_provider: 'self-hosted' });
  });

  it('are those of the models: one that was not reached confirms no model', () => {
    const models = [{ ...opus, upstream: 'gateway' }];
    expect(Object.keys(evidenceOf({ receipt: { models } }).claims)).toEqual(['prompt_hash']);
  });
});

describe('what a receipt is worth', () => {
  it.each([
    ['isolated', 'isolated', 'witness-isolated'],
    ['isolated', 'same-host', 'witness-same-host'],
    ['same-host', 'isolated', 'witness-same-host'],
    ['same-host', 'same-host', 'witness-same-host'],
  ] as const)('where the operator says %s and the receipt %s', (listed, own, source) => {
    const said = { ...receipt.witness, place: own };
    expect(evidenceOf({ witness: { place: listed }, receipt: { witness: said } }).source).toBe(source);
  });

  it('is never witness-isolated, unless operator and receipt both say isolated', () => {
    const place = fc.constantFrom('isolated' as const, 'same-host' as const);
    const model = fc.record({
      upstream: fc.constantFrom('anthropic', 'openai'),
      served: fc.constantFrom('claude-opus-4-1', 'gpt-4o'),
      answers: fc.integer({ min: 1, max: 9 }),
    });
    const cases = fc.record({
      listed: place,
      own: place,
      isolation: fc.option(
        fc.constant({ key_and_control: 'unreadable', credentials: 'witness', upstreams: 'configuration' } as const),
        {
          nil: undefined,
        },
      ),
      models: fc.array(model, { maxLength: 4 }),
      prompt_seen: fc.boolean(),
      callers: fc.constantFrom(undefined, ['ci'], ['cd']),
      upstreams: fc.constantFrom(undefined, { anthropic: ANTHROPIC.address }),
      now: fc.integer({ min: ENDED - 2 * MINUTE, max: ENDED + 16 * MINUTE }),
    });
    const seen = new Set<string>();
    fc.assert(
      fc.property(cases, ({ listed, own, isolation, models, prompt_seen, callers, upstreams, now }) => {
        const decision = decide({
          receipt: {
            witness: { ...receipt.witness, place: own, ...(isolation && { isolation }) },
            models,
            input: { ...receipt.input, prompt_seen },
          },
          witness: { place: listed, callers, upstreams },
          grounds: { now },
        });
        if (!decision.ok) return;
        const { source } = decision.evidence;
        seen.add(source);
        expect(source).toBe(listed === 'isolated' && own === 'isolated' ? 'witness-isolated' : 'witness-same-host');
      }),
      { numRuns: 1_000 },
    );
    expect([...seen].sort()).toEqual(['witness-isolated', 'witness-same-host']);
  });
});

describe('what a receipt confirms', () => {
  it('is no prompt where no request contained it', () => {
    const input = { ...receipt.input, prompt_seen: false };
    expect(evidenceOf({ receipt: { input } }).claims).toEqual({
      model_id: 'claude-opus-4-1',
      model_provider: 'anthropic',
    });
  });

  it.each([
    ['no model answered', { models: [] }, []],
    [
      'an answer is of no known model',
      { unattributed: [{ reason: 'model_absent', upstream: 'anthropic', answers: 1 }] },
      ['claude-opus-4-1'],
    ],
    [
      'there were more models than a receipt names',
      { unattributed: [{ reason: 'more_models', answers: 1 }] },
      ['claude-opus-4-1'],
    ],
  ] as const)('is no model where %s, and the prompt all the same', (_why, changes, served) => {
    const decision = decide({ receipt: changes as unknown as Partial<WitnessReceipt> });
    expect(decision).toEqual({
      ok: true,
      evidence: { source: 'witness-isolated', claims: { prompt_hash: `sha256:${PROMPT}` } },
      servedModels: served,
    });
  });

  it('is nothing at all where neither a model nor the prompt was seen', () => {
    const input = { ...receipt.input, prompt_seen: false };
    expect(evidenceOf({ receipt: { input, models: [] } }).claims).toEqual({});
  });

  it('is the one model that wrote most, and all that answered are told, each once', () => {
    const again = { ...haiku, requested: 'claude-haiku-latest' };
    const decision = decide({ receipt: { models: [haiku, opus, again] } });
    expect(decision).toMatchObject({
      evidence: { claims: { model_id: 'claude-opus-4-1', model_provider: 'anthropic' } },
      servedModels: ['claude-haiku-4-5', 'claude-opus-4-1'],
    });
  });

  it('is what was served, whatever was requested', () => {
    const models = [{ ...haiku, requested: 'claude-opus-4-1' }];
    const decision = decide({ receipt: { models } });
    expect(decision).toMatchObject({
      evidence: { claims: { model_id: 'claude-haiku-4-5' } },
      servedModels: ['claude-haiku-4-5'],
    });
  });
});
