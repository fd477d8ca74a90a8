import { describe, expect, it, onTestFinished } from 'vitest';
import { ARTIFACT, PACK, served, witnessedRuns } from '../../test/witnessed-runs.ts';
import { parseQuery } from '../query/parse-query.ts';
import { SAVED_QUESTION_NAMES, SAVED_QUESTIONS } from './saved-question.ts';

const { 'model-substituted': substituted, 'short-reviews': short, 'unreviewed-runs': unreviewed } = SAVED_QUESTIONS;
const { 'old-policy-pack': oldPack, 'self-reviews': selfReviews } = SAVED_QUESTIONS;
const OTHER_PACK = `sha256:${'e'.repeat(64)}`;

describe('the questions that ship', () => {
  it.each(SAVED_QUESTION_NAMES)('can each be read, and says what it finds: %s', (name) => {
    const { ask, finds } = SAVED_QUESTIONS[name];
    expect(parseQuery(ask(PACK))).toMatchObject({ ok: true });
    expect(finds).toMatch(/^[a-z].*\w$/);
    expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
  });

  it.each(SAVED_QUESTION_NAMES)(
    'find nothing where nothing is stored, and are answered by no walk through all runs: %s',
    (name) => {
      const { find, evidence } = witnessedRuns(onTestFinished);
      const question = SAVED_QUESTIONS[name].ask(PACK);
      expect(find(question)).toEqual([]);
      const steps = evidence.explain(question);
      expect(steps.length).toBeGreaterThan(0);
      // How many claims of a review agents sign is as many as there are mistakes.
      if (name !== 'self-reviews')
        expect(steps.filter((step) => /^SCAN (run|artifact|entry|link)\b/.test(step))).toEqual([]);
    },
  );
});

describe('model-substituted', () => {
  it('finds runs in which another model answered, newest first, by the run’s word or its receipt’s', async () => {
    const { keepRun, keepReceipt, find } = witnessedRuns(onTestFinished);
    const said = await keepRun({ model: { id: 'gpt-4o-mini', requested: 'gpt-4o' } });
    const haiku = served('claude-haiku-4-5', { requested: 'claude-opus-4-1' });
    const seen = await keepRun({ receipt: await keepReceipt({ models: [served('claude-opus-4-1'), haiku] }) });
    await keepRun({ model: { id: 'gpt-4o-2024-08-06', requested: 'gpt-4o' } });
    await keepRun({ receipt: await keepReceipt() });
    await keepRun();
    expect(find(substituted.ask())).toEqual([seen, said]);
  });
});

describe('short-reviews', () => {
  it('finds artifacts whose review took less than a minute, by the run or by the review itself', async () => {
    const { keepRun, keepReview, find } = witnessedRuns(onTestFinished);
    const took = (seconds: number) => ({
      review: {
        reviewer: 'dana@example.com',
        reviewed_at: '2026-11-21T09:00:00Z',
        review_duration_seconds: seconds,
        approved: true,
      },
    });
    const digest = (digit: string) => digit.repeat(64);
    await keepRun({ ...took(59), artifact: digest('1') });
    await keepRun({ ...took(60), artifact: digest('2') });
    await keepReview({ artifact: digest('3'), review_duration_seconds: 0 });
    await keepReview({ artifact: digest('4'), review_duration_seconds: 60 });
    await keepReview({ artifact: digest('5') });
    await keepRun({ artifact: digest('6') });
    // Of one that was reviewed twice the short review counts.
    await keepRun({ ...took(600), artifact: digest('7') });
    await keepReview({ artifact: digest('7'), review_duration_seconds: 5 });
    expect([...find(short.ask())].sort()).toEqual(['1', '3', '7'].map(digest));
  });
});

describe('unreviewed-runs', () => {
  it('finds runs that no reviewer has approved since, newest first', async () => {
    const { keepRun, keepReview, find } = witnessedRuns(onTestFinished);
    const own = await keepRun({ commit: '2'.repeat(40), artifact: 'b'.repeat(64) });
    await keepRun({ commit: '3'.repeat(40) });
    await keepReview({ artifact: ARTIFACT });
    await keepReview({ artifact: 'b'.repeat(64), subject: 'agent:code-writer' });
    const last = await keepRun({ commit: '4'.repeat(40), artifact: 'c'.repeat(64) });
    expect(find(unreviewed.ask())).toEqual([last, own]);
  });
});

describe('old-policy-pack', () => {
  it.each([PACK, PACK.slice('sha256:'.length), PACK.slice('sha256:'.length).toUpperCase()])(
    'finds runs under another pack than %s',
    async (hash) => {
      const { keepRun, find } = witnessedRuns(onTestFinished);
      await keepRun();
      const old = await keepRun({ pack: OTHER_PACK });
      const older = await keepRun({ pack: `sha256:${'0'.repeat(64)}` });
      expect([...find(oldPack.ask(hash))].sort()).toEqual([old, older].sort());
    },
  );

  it('needs the hash of the pack', () => {
    expect(oldPack.needs).toBe('policy-pack-hash');
    for (const value of ['default', '', 'sha256:aa']) expect(parseQuery(oldPack.ask(value)).ok, value).toBe(false);
  });
});

describe('self-reviews', () => {
  it('finds reviews that an agent signed, newest first, and no others', async () => {
    const { keepReview, find } = witnessedRuns(onTestFinished);
    const first = await keepReview({ subject: 'agent:code-writer' });
    await keepReview();
    await keepReview({ subject: 'reviewer:eve@example.com' });
    const second = await keepReview({ subject: 'agent:code-fixer' });
    await keepReview({ subject: 'useragent:x' });
    expect(find(selfReviews.ask())).toEqual([second, first]);
  });
});
