import { createHash } from 'node:crypto';
import { RECEIPT_LIMITS, UNATTRIBUTED_REASONS } from '@colophon/records';
import { describe, expect, it } from 'vitest';
import type { AnswerFacts } from '../answer/answer-facts.ts';
import { Observations, type ObservedAnswer } from './observations.ts';

const facts = (more: Partial<AnswerFacts> = {}): AnswerFacts => ({
  model: 'claude-opus-4-1',
  fault: undefined,
  tools: new Map(),
  isComplete: true,
  ...more,
});

const answer = (more: Partial<ObservedAnswer> = {}): ObservedAnswer => ({
  upstream: 'anthropic',
  endpoint: 'POST /v1/messages',
  request: {},
  facts: facts(),
  isWhole: true,
  ...more,
});

function after(...answers: readonly ObservedAnswer[]) {
  const seen = new Observations();
  for (const one of answers) seen.answered(one);
  return seen.facts();
}

describe('answers of the same models', () => {
  it('are one entry, with the sums of what they count', () => {
    const request = { model: 'claude-opus-latest', temperature: 0.5, maxTokens: 100 };
    expect(
      after(
        answer({ request, facts: facts({ inputTokens: 1, outputTokens: 20 }) }),
        answer({ request, facts: facts({ inputTokens: 2 }) }),
        answer({ request, facts: facts({ isComplete: false }) }),
        answer({ request, isWhole: false }),
      ),
    ).toEqual({
      models: [
        {
          upstream: 'anthropic',
          requested: 'claude-opus-latest',
          served: 'claude-opus-4-1',
          answers: 4,
          incomplete: 2,
          uncounted: 3,
          input_tokens: 3,
          output_tokens: 20,
          temperature: 0.5,
          max_tokens: 100,
        },
      ],
    });
  });

  it.each([
    ['temperature', { temperature: 0.1, maxTokens: 1 }, { temperature: 0.2, maxTokens: 1 }, { max_tokens: 1 }],
    ['temperature, also where one has none', { temperature: 0.1 }, {}, {}],
    ['limit', { temperature: 0.1, maxTokens: 1 }, { temperature: 0.1, maxTokens: 2 }, { temperature: 0.1 }],
  ])('have no %s where their requests differ in it', (_, one, other, expected) => {
    const { models } = after(answer({ request: one }), answer({ request: other }), answer({ request: one }));
    const { temperature, max_tokens } = models[0]!;
    expect({ temperature, max_tokens }).toEqual(expected);
  });

  it('are two where another one was requested, or answered, or another upstream', () => {
    const { models } = after(
      answer(),
      answer({ request: { model: 'a' } }),
      answer({ facts: facts({ model: 'b' }) }),
      answer({ upstream: 'openai' }),
      answer({ request: { model: 'not a name' } }),
    );
    expect(models.map(({ upstream, requested, served, answers }) => [upstream, requested, served, answers])).toEqual([
      ['anthropic', undefined, 'claude-opus-4-1', 2],
      ['anthropic', 'a', 'claude-opus-4-1', 1],
      ['anthropic', undefined, 'b', 1],
      ['openai', undefined, 'claude-opus-4-1', 1],
    ]);
  });

  it('say how many of them nobody counted: those that say no tokens, or broke off before they said all', () => {
    const counted = facts({ outputTokens: 20 });
    const brokenOff = facts({ outputTokens: 1, isComplete: false });
    expect(after(answer({ facts: counted })).models[0]).not.toHaveProperty('uncounted');
    expect(after(answer({ facts: counted }), answer(), answer({ facts: brokenOff })).models).toMatchObject([
      { answers: 3, uncounted: 2, output_tokens: 21 },
    ]);
    // All that it says of itself had come.
    expect(after(answer({ facts: counted, isWhole: false })).models[0]).not.toHaveProperty('uncounted');
  });

  it('count no more tokens than a receipt can hold', () => {
    const many = facts({ inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: 1 });
    expect(after(answer({ facts: many }), answer({ facts: many })).models).toMatchObject([
      { input_tokens: Number.MAX_SAFE_INTEGER, output_tokens: 2 },
    ]);
  });
});

it('models beyond the limit are answers of no known model, and the known ones go on', () => {
  const named = (number: number) => answer({ facts: facts({ model: `model-${number}` }) });
  const answers = Array.from({ length: RECEIPT_LIMITS.models + 2 }, (_, index) => named(index));
  const { models, unattributed } = after(...answers, named(0));
  expect(models).toHaveLength(RECEIPT_LIMITS.models);
  expect(models[0]?.answers).toBe(2);
  expect(unattributed).toEqual([{ reason: 'more_models', answers: 2 }]);
});

describe('answers of no known model', () => {
  it('say why, and which request they were for', () => {
    const { models, unattributed } = after(
      answer({ facts: undefined }),
      answer({ facts: facts({ model: undefined, fault: 'model_changed' }) }),
      answer({ facts: facts({ model: undefined, fault: 'model_changed' }) }),
    );
    expect(models).toEqual([]);
    const where = { upstream: 'anthropic', request: 'POST /v1/messages' };
    expect(unattributed).toEqual([
      { reason: 'answer_unreadable', ...where, answers: 1 },
      { reason: 'model_changed', ...where, answers: 2 },
    ]);
  });

  it.each(['POST /a b', `POST /${'x'.repeat(128)}`, 'M-SEARCH /x', 'POST /ä'])(
    'leave out a request that cannot be written: %s',
    (endpoint) => {
      const { unattributed } = after(answer({ facts: undefined, endpoint }), answer({ facts: undefined, endpoint }));
      expect(unattributed).toEqual([{ reason: 'answer_unreadable', upstream: 'anthropic', answers: 2 }]);
    },
  );

  it('of too many kinds are counted by their reason, each by its own', () => {
    const seen = new Observations();
    for (let i = 0; i < 100; i += 1) {
      const reason = UNATTRIBUTED_REASONS[i % UNATTRIBUTED_REASONS.length]!;
      seen.unattributed(reason, { upstream: 'anthropic', endpoint: `POST /${i}` });
    }
    const { unattributed = [] } = seen.facts();
    expect(unattributed.length).toBeLessThanOrEqual(RECEIPT_LIMITS.unattributed);
    for (const [index, reason] of UNATTRIBUTED_REASONS.entries()) {
      const ofReason = unattributed.filter((entry) => entry.reason === reason);
      const said = ofReason.reduce((total, { answers }) => total + answers, 0);
      expect(said, reason).toBe(Math.ceil((100 - index) / UNATTRIBUTED_REASONS.length));
    }
  });
});

it('the first 32 ids are named, and all of them are hashed', () => {
  const ids = Array.from({ length: 40 }, (_, index) => `msg_${index}`);
  const { response_ids, response_ids_hash } = after(
    ...ids.map((responseId) => answer({ facts: facts({ responseId }) })),
  );
  expect(response_ids).toEqual(ids.slice(0, RECEIPT_LIMITS.responseIds));
  const hash = createHash('sha256')
    .update(`${ids.join('\n')}\n`)
    .digest('hex');
  expect(response_ids_hash).toBe(`sha256:${hash}`);
});

it('the id of an answer of no known model is named too', () => {
  const read = facts({ model: undefined, fault: 'model_absent', responseId: 'msg_1' });
  expect(after(answer({ facts: read })).response_ids).toEqual(['msg_1']);
});

it('the calls of the first 32 tools are counted each, and all others together', () => {
  const names = Array.from({ length: 40 }, (_, index) => `tool-${index}`);
  const tools = new Map([...names.map((name) => [name, 2] as const), ['', 5] as const]);
  const { tools_invoked, more_tools } = after(answer({ facts: facts({ tools }) }), answer({ facts: facts({ tools }) }));
  expect(tools_invoked).toHaveLength(RECEIPT_LIMITS.tools);
  expect(tools_invoked?.[0]).toEqual({ name: 'tool-0', count: 4 });
  expect(more_tools).toBe(2 * (8 * 2 + 5));
});

it('errors of the provider are counted, and are no answers of a model', () => {
  const seen = new Observations();
  expect(seen.facts()).toEqual({ models: [] });
  seen.failed();
  seen.failed();
  expect(seen.facts()).toEqual({ models: [], failed_answers: 2 });
});

it('a copy counts on by itself', () => {
  const seen = new Observations();
  const more = answer({
    facts: facts({
      responseId: 'a',
      tools: new Map([
        ['edit', 1],
        ['', 1],
      ]),
    }),
  });
  const unread = answer({ facts: undefined });
  const note = (to: Observations) => {
    to.answered(more);
    to.answered(unread);
    to.failed();
  };
  note(seen);
  const before = seen.facts();
  const copy = seen.copy();
  expect(copy.facts()).toEqual(before);
  note(copy);
  expect(seen.facts()).toEqual(before);
  note(seen);
  expect(copy.facts()).toEqual(seen.facts());
});

it('what was given out does not change any more', () => {
  const seen = new Observations();
  seen.answered(answer());
  seen.answered(answer({ facts: undefined }));
  const before = seen.facts();
  const text = JSON.stringify(before);
  seen.answered(answer());
  seen.answered(answer({ facts: undefined }));
  expect(JSON.stringify(before)).toBe(text);
});
