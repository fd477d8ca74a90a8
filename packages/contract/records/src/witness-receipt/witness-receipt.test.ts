import { describe, expect, it } from 'vitest';
import {
  createWitnessReceiptStatement,
  mainModel,
  parseWitnessReceipt,
  type ServedModel,
  type WitnessReceipt,
} from './witness-receipt.ts';

const hash = `sha256:${'a'.repeat(64)}`;
const smallest: WitnessReceipt = {
  run_id: '3f2b1c4d-0000-4000-8000-000000000001',
  witness: { key_id: 'A'.repeat(43), place: 'same-host' },
  agent: { name: 'code-writer', version: '1.2.3' },
  input: { prompt_hash: hash, prompt_seen: false },
  policy: { pack_hash: `sha256:${'b'.repeat(64)}` },
  started_at: '2026-11-27T10:00:00Z',
  signed_at: '2026-11-27T10:05:00Z',
  upstreams: [],
  models: [],
};
const opus: ServedModel = { upstream: 'anthropic', served: 'claude-opus-4-1', answers: 1, output_tokens: 100 };
const haiku: ServedModel = { upstream: 'anthropic', served: 'claude-haiku-4-5', answers: 9, output_tokens: 90 };

describe('parseWitnessReceipt', () => {
  it('accepts what is required alone', () => {
    expect(parseWitnessReceipt(smallest)).toStrictEqual({ ok: true, value: smallest });
  });

  it.each<[string, unknown]>([
    ['/run_id', { ...smallest, run_id: 'run-1' }],
    ['/witness/place', { ...smallest, witness: { ...smallest.witness, place: 'somewhere' } }],
    ['/models/0/served', { ...smallest, models: [{ ...opus, served: 'claude opus' }] }],
    ['/models/0/answers', { ...smallest, models: [{ ...opus, answers: 0 }] }],
    ['/models/0/uncounted', { ...smallest, models: [{ ...opus, uncounted: 0 }] }],
    ['/models', { ...smallest, models: Array.from({ length: 17 }, () => opus) }],
    ['/unattributed/0/reason', { ...smallest, unattributed: [{ reason: 'none', answers: 1 }] }],
    ['/ended_at', { ...smallest, ended_at: null }],
    ['/outcome/signal', { ...smallest, outcome: { reason: 'signalled', signal: 'kill -9' } }],
  ])('refuses what is wrong at %s', (path, receipt) => {
    const parsed = parseWitnessReceipt(receipt);
    expect(parsed.ok ? [] : parsed.issues.map((issue) => issue.path)).toEqual([path]);
  });
});

it('the statement is about the prompt and the policy pack', () => {
  const { subject, predicateType } = createWitnessReceiptStatement(smallest, 'https://acme.example/predicates');
  expect(predicateType).toBe('https://acme.example/predicates/witness-receipt/v1');
  expect(subject.map(({ digest }) => digest['sha256'])).toEqual(['a'.repeat(64), 'b'.repeat(64)]);
  const { models: _, ...without } = smallest;
  expect(() => createWitnessReceiptStatement(without as WitnessReceipt)).toThrow(
    new TypeError('/models: witness_receipt.field_missing'),
  );
});

describe('the one model of a run', () => {
  const of = (models: readonly ServedModel[], more: Partial<WitnessReceipt> = {}) =>
    mainModel({ ...smallest, models: [...models], ...more });

  it('is the one that wrote most tokens', () => {
    expect(of([haiku, opus])).toEqual({ upstream: 'anthropic', served: 'claude-opus-4-1' });
  });

  it('counts what one model wrote under several requested names as one', () => {
    const also = { ...haiku, requested: 'claude-haiku-latest', output_tokens: 20 };
    expect(of([opus, haiku, also])?.served).toBe('claude-haiku-4-5');
  });

  it('is the one with most answers where tokens do not decide, then the first', () => {
    const alike = { ...haiku, output_tokens: 100 };
    expect(of([opus, alike])?.served).toBe('claude-haiku-4-5');
    expect(of([opus, { ...alike, answers: 1 }])?.served).toBe('claude-opus-4-1');
  });

  it('is none of several where nobody counted what an answer of another one wrote', () => {
    const { output_tokens: _, ...uncounted } = haiku;
    expect(of([opus, { ...haiku, uncounted: 1 }])).toBeUndefined();
    expect(of([opus, uncounted])).toBeUndefined();
    expect(of([opus, { ...opus, upstream: 'self-hosted', uncounted: 1 }])).toBeUndefined();
  });

  it('is the one that wrote most, and may have written more', () => {
    expect(of([haiku, { ...opus, uncounted: 1 }])?.served).toBe('claude-opus-4-1');
  });

  it('is the only one, counted or not', () => {
    const { output_tokens: _, ...uncounted } = haiku;
    const also = { ...haiku, requested: 'claude-haiku-latest', uncounted: 2 };
    expect(of([{ ...uncounted, uncounted: 9 }, also])?.served).toBe('claude-haiku-4-5');
  });

  it('one model by two upstreams is two', () => {
    expect(of([opus, { ...opus, upstream: 'self-hosted', output_tokens: 101 }])?.upstream).toBe('self-hosted');
  });

  it('is none where nothing answered, or anything of no known model', () => {
    expect(of([])).toBeUndefined();
    expect(of([opus], { unattributed: [{ reason: 'model_absent', answers: 1 }] })).toBeUndefined();
  });
});
