import { RECEIPT_LIMITS } from '@colophon/records';
import { describe, expect, it } from 'vitest';
import type { AnswerFacts } from '../answer/answer-facts.ts';
import type { ObservedAnswer } from './observations.ts';
import { ObservedRun, type RunOpening, type UnderWay } from './observed-run.ts';

const hash = (digit: string) => `sha256:${digit.repeat(64)}`;
const opening: RunOpening = {
  runId: '3f2b1c4d-0000-4000-8000-000000000001',
  agentName: 'code-writer',
  agentVersion: '1.2.3',
  promptHash: hash('a'),
  policyPackHash: hash('b'),
  startedAt: Date.parse('2026-11-27T10:00:00Z'),
};
const WITNESS = { key_id: 'A'.repeat(43), place: 'same-host' } as const;
const SIGNED_AT = Date.parse('2026-11-27T10:05:00Z');
const receiptOf = (run: ObservedRun) => run.receipt(WITNESS, SIGNED_AT);

const facts: AnswerFacts = { model: 'gpt-4o', fault: undefined, tools: new Map(), isComplete: false };
const answer: ObservedAnswer = { upstream: 'openai', endpoint: 'POST /x', request: {}, facts, isWhole: true };

/** An exchange that goes on until it is ended. */
function underWay({ soFar, isPassed = false }: { soFar?: ObservedAnswer; isPassed?: boolean } = {}) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let cuts = 0;
  const exchange: UnderWay = {
    soFar: () => soFar,
    cut: () => {
      cuts += 1;
      resolve();
    },
    isPassed,
    over: promise,
  };
  return { exchange, end: resolve, cuts: () => cuts };
}

it('a receipt says what is known, and nothing else', () => {
  expect(receiptOf(new ObservedRun(opening))).toEqual({
    run_id: opening.runId,
    witness: WITNESS,
    agent: { name: 'code-writer', version: '1.2.3' },
    input: { prompt_hash: hash('a'), prompt_seen: false },
    policy: { pack_hash: hash('b') },
    started_at: '2026-11-27T10:00:00Z',
    signed_at: '2026-11-27T10:05:00Z',
    upstreams: [],
    models: [],
  });
});

it('the first end counts', () => {
  const run = new ObservedRun({ ...opening, issuer: 'https://issuer.example', caller: 'ci' });
  expect([run.isOpen, run.endedAt]).toEqual([true, undefined]);
  const endedAt = Date.parse('2026-11-27T10:04:00Z');
  run.end(endedAt, { reason: 'signalled', signal: 'SIGTERM' });
  run.end(endedAt + 1_000, { reason: 'exited', exitCode: 0 });
  expect([run.isOpen, run.endedAt]).toEqual([false, endedAt]);
  expect(receiptOf(run)).toMatchObject({
    issuer: 'https://issuer.example',
    caller: 'ci',
    ended_at: '2026-11-27T10:04:00Z',
    outcome: { reason: 'signalled', signal: 'SIGTERM' },
  });
});

it('a command that exited has its exit code in the receipt, also where that is 0', () => {
  const run = new ObservedRun(opening);
  run.end(SIGNED_AT, { reason: 'exited', exitCode: 0 });
  expect(receiptOf(run).outcome).toEqual({ reason: 'exited', exit_code: 0 });
});

it('the tokens of the first request count, whichever is answered first', () => {
  const run = new ObservedRun(opening);
  const [first, second] = [run.nextRequest(), run.nextRequest()];
  run.contextTokens(200, second);
  expect(receiptOf(run).input.context_token_count).toBe(200);
  run.contextTokens(100, first);
  run.contextTokens(300, second);
  expect(receiptOf(run).input.context_token_count).toBe(100);
});

describe('the upstreams that requests went to', () => {
  it('all stand in the receipt, also where they have one name', () => {
    const run = new ObservedRun(opening);
    for (const address of ['http://a', 'http://b', 'http://a']) run.reached('self-hosted', address);
    expect(receiptOf(run).upstreams).toEqual([
      { name: 'self-hosted', address: 'http://a' },
      { name: 'self-hosted', address: 'http://b' },
    ]);
  });

  it('are no more than a receipt may hold', () => {
    const run = new ObservedRun(opening);
    for (let i = 0; i < 20; i += 1) run.reached(`upstream-${i}`, `http://${i}`);
    expect(receiptOf(run).upstreams).toHaveLength(RECEIPT_LIMITS.upstreams);
  });
});

describe('a prompt', () => {
  it('that was told before is looked for in so many requests', () => {
    const run = new ObservedRun(opening);
    expect([run.mayLookForPrompt(2), run.mayLookForPrompt(2), run.mayLookForPrompt(2)]).toEqual([true, true, false]);
    run.firstPrompt(hash('c'));
    expect(receiptOf(run).input).toEqual({ prompt_hash: hash('a'), prompt_seen: false });
    run.promptSeen();
    expect(receiptOf(run).input.prompt_seen).toBe(true);
  });

  it('that nobody told is the first one', () => {
    const { promptHash: _, ...untold } = opening;
    const run = new ObservedRun(untold);
    expect(receiptOf(run).input.prompt_seen).toBe(false);
    run.firstPrompt(hash('c'));
    run.firstPrompt(hash('d'));
    expect(receiptOf(run).input).toEqual({ prompt_hash: hash('c'), prompt_seen: false });
    run.promptSeen();
    expect(receiptOf(run).input.prompt_seen).toBe(true);
  });
});

describe('an exchange that is under way', () => {
  it('is in the receipt as far as its answer has passed, and is counted once', () => {
    const run = new ObservedRun(opening);
    const { exchange } = underWay({ soFar: answer });
    run.follow(exchange);
    run.follow(underWay().exchange);
    for (let i = 0; i < 2; i += 1) {
      expect(receiptOf(run).models).toEqual([
        { upstream: 'openai', served: 'gpt-4o', answers: 1, incomplete: 1, uncounted: 1 },
      ]);
    }
  });

  it('is answered without a known model where nothing can be read of it yet', () => {
    const run = new ObservedRun(opening);
    run.follow(underWay({ soFar: { ...answer, facts: undefined } }).exchange);
    expect(receiptOf(run).unattributed).toEqual([
      { reason: 'answer_unreadable', upstream: 'openai', request: 'POST /x', answers: 1 },
    ]);
  });

  it('is not there any more once it is over', async () => {
    const run = new ObservedRun(opening);
    const { exchange, end } = underWay({ soFar: answer });
    run.follow(exchange);
    end();
    await run.settled(10_000);
    expect(receiptOf(run).models).toEqual([]);
  });

  it('is waited for until it is over', async () => {
    const run = new ObservedRun(opening);
    const { exchange, end } = underWay();
    run.follow(exchange);
    let isSettled = false;
    const settled = run.settled(10_000).then(() => {
      isSettled = true;
    });
    await run.read(10_000);
    expect(isSettled).toBe(false);
    end();
    await settled;
  });

  it('is waited for no longer than is said', async () => {
    const run = new ObservedRun(opening);
    const { exchange, cuts } = underWay();
    run.follow(exchange);
    await run.settled(1);
    expect(cuts()).toBe(0);
  });

  it('that has passed is waited for until it is read', async () => {
    const run = new ObservedRun(opening);
    const { exchange, end } = underWay({ isPassed: true });
    run.follow(exchange);
    let isRead = false;
    const read = run.read(10_000).then(() => {
      isRead = true;
    });
    await new Promise(setImmediate);
    expect(isRead).toBe(false);
    end();
    await read;
  });

  it('is cut where it goes on after the end', async () => {
    const run = new ObservedRun(opening);
    const [one, other] = [underWay(), underWay()];
    run.follow(one.exchange);
    run.follow(other.exchange);
    one.end();
    await run.stop(1);
    expect([one.cuts(), other.cuts()]).toEqual([0, 1]);
  });
});
