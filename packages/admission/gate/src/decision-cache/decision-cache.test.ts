import { expect, test } from 'vitest';
import type { ImageVerdict } from '../image-gate/judge-image.ts';
import { DecisionCache, LONGEST_ADMISSION_MS, LONGEST_REFUSAL_MS } from './decision-cache.ts';
import { rememberedDecision } from './remembered-decision.ts';

const NOW = Date.parse('2026-11-28T10:00:00Z');
const verdict = (more: Partial<ImageVerdict>): ImageVerdict => ({
  admitted: true,
  reasons: [],
  warnings: [],
  verdicts: [],
  ...more,
});
const reason = (code: string) => ({ code, message: 'x' }) as ImageVerdict['reasons'][number];
const refusal = (code: string) => verdict({ admitted: false, reasons: [reason(code)] });

const NO_SIGNATURES = { agent_signatures: [], reviews: [] };

/** For how many milliseconds a decision is remembered. */
function lifeOf(decision: ImageVerdict): number {
  const cache = new DecisionCache();
  cache.set('k', decision, NOW);
  let life = 0;
  for (const step of [LONGEST_ADMISSION_MS, 60_000, 1000, 1]) {
    while (cache.get('k', NOW + life + step - 1) !== undefined && life < 2 * LONGEST_ADMISSION_MS) {
      life += step;
      cache.set('k', decision, NOW);
    }
    cache.set('k', decision, NOW);
  }
  return life;
}

test('an admission is remembered for a quarter of an hour, or until the time that it names', () => {
  expect(lifeOf(verdict({}))).toBe(LONGEST_ADMISSION_MS);
  expect(lifeOf(verdict({ valid_until: '2026-11-28T10:00:07Z' }))).toBe(7000);
  expect(lifeOf(verdict({ valid_until: '2026-11-28T11:00:00Z' }))).toBe(LONGEST_ADMISSION_MS);
  expect(lifeOf(verdict({ valid_until: '2026-11-28T09:00:00Z' }))).toBe(0);
});

test('a refusal is remembered for half a minute, also one that a policy in audit mode would make', () => {
  expect(lifeOf(refusal('admission.review_missing'))).toBe(LONGEST_REFUSAL_MS);
  const audited = { ...NO_SIGNATURES, admitted: false } as unknown as ImageVerdict['verdicts'][number];
  expect(lifeOf(verdict({ warnings: [reason('admission.review_missing')], verdicts: [audited] }))).toBe(
    LONGEST_REFUSAL_MS,
  );
  const ends = { valid_until: '2026-11-28T10:00:07Z' };
  expect(lifeOf(verdict({ warnings: [reason('admission.review_missing')], verdicts: [audited], ...ends }))).toBe(7000);
});

test('an exception for an image that is not looked at is remembered as briefly', () => {
  const excusedFor = (...excuses: string[]) =>
    verdict({
      verdicts: [{ ...NO_SIGNATURES, admitted: true, exception: { excuses } }] as unknown as ImageVerdict['verdicts'],
    });
  expect(lifeOf(excusedFor('admission.too_many_signatures'))).toBe(LONGEST_REFUSAL_MS);
  expect(lifeOf(excusedFor('admission.review_missing'))).toBe(LONGEST_ADMISSION_MS);
});

test.each(['admission.evidence_incomplete', 'admission.rejections_incomplete', 'admission.internal'])(
  'what ends with %s is never remembered, wherever it stands',
  (code) => {
    expect(lifeOf(refusal(code))).toBe(0);
    expect(lifeOf(verdict({ warnings: [reason(code)] }))).toBe(0);
    const excused = { admitted: true, exception: { excuses: [code] } } as unknown as ImageVerdict['verdicts'][number];
    expect(lifeOf(verdict({ verdicts: [excused] }))).toBe(0);
  },
);

test('the least recently used decision goes first, and a newer one that is not kept ends the older', () => {
  const cache = new DecisionCache(2);
  cache.set('a', verdict({}), NOW);
  cache.set('b', verdict({}), NOW);
  cache.get('a', NOW);
  cache.set('c', verdict({}), NOW);
  expect([cache.get('a', NOW), cache.get('b', NOW), cache.get('c', NOW)].map(Boolean)).toEqual([true, false, true]);
  expect(cache.size).toBe(2);
  cache.set('a', refusal('admission.internal'), NOW);
  expect(cache.get('a', NOW)).toBeUndefined();
});

test('a decision of a time that has not come yet, because the clock was set back, is none', () => {
  const cache = new DecisionCache();
  cache.set('k', verdict({}), NOW);
  expect(cache.get('k', NOW - 1)).toBeUndefined();
  expect(cache.get('k', NOW)).toBeUndefined();
});

test('decisions are as many as find room, and one that takes too much of it is not kept', () => {
  const cache = new DecisionCache(1000, 100_000);
  const long = (units: number) => {
    const spare = units - 3 - JSON.stringify(rememberedDecision(refusal(''))).length;
    return refusal('x'.repeat(spare));
  };
  const keys = Array.from({ length: 101 }, (_, index) => String(index).padStart(3, '0'));
  for (const key of keys.slice(0, 100)) cache.set(key, long(1000), NOW);
  expect(cache.size).toBe(100);
  cache.set('new', long(1001), NOW);
  expect([cache.size, cache.get('new', NOW)]).toEqual([100, undefined]);
  cache.set('100', long(1000), NOW);
  expect(keys.filter((key) => cache.get(key, NOW) === undefined)).toEqual(['000']);
  cache.set('050', refusal('admission.internal'), NOW);
  cache.set('000', long(1000), NOW);
  expect(keys.filter((key) => cache.get(key, NOW) === undefined)).toEqual(['050']);
});

test('the statements by which a decision was made are not kept', () => {
  const cache = new DecisionCache();
  const signature = (subject: string) => ({ certificate_identity: { subject }, statement: { predicate: 'large' } });
  const one = {
    admitted: true,
    agent_signatures: [signature('agent:a'), signature('agent:a')],
    human_signatures: [signature('dana@example.com')],
    reviews: [signature('reviewer:alice@example.com')],
    exception: { owner: 'o', reason: 'r', until: 'u', excuses: ['admission.review_missing'] },
  } as unknown as ImageVerdict['verdicts'][number];
  cache.set('k', verdict({ verdicts: [one], digest: 'sha256:x', valid_until: '2026-11-28T10:10:00Z' }), NOW);
  expect(cache.get('k', NOW)).toEqual({
    admitted: true,
    reasons: [],
    warnings: [],
    digest: 'sha256:x',
    valid_until: '2026-11-28T10:10:00Z',
    agents: ['agent:a', 'dana@example.com'],
    reviewers: ['reviewer:alice@example.com'],
    exception: { owner: 'o', reason: 'r', until: 'u' },
    excused: ['admission.review_missing'],
  });
});
