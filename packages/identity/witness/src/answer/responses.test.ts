import { describe, expect, it } from 'vitest';
import { AnswerNotes } from './answer-facts.ts';
import { responses } from './responses.ts';

const MODEL = 'gpt-5-2025-08-07';
const response = { object: 'response', id: 'resp_01', model: MODEL };
const usage = { input_tokens: 12, output_tokens: 7 };

function streamed(...events: readonly unknown[]) {
  const notes = new AnswerNotes();
  for (const event of events) responses.event(event, notes);
  return notes.facts();
}

function document(body: unknown) {
  const notes = new AnswerNotes();
  responses.document(body, notes);
  return notes.facts();
}

const created = { type: 'response.created', response };

it('a stream names model and id with each response, and counts tokens with the last', () => {
  expect(streamed(created, { type: 'response.completed', response: { ...response, usage } })).toEqual({
    model: MODEL,
    fault: undefined,
    responseId: 'resp_01',
    inputTokens: 12,
    outputTokens: 7,
    tools: new Map(),
    isComplete: true,
  });
});

it('a document says the same at once', () => {
  const output = [{ type: 'message' }, { type: 'function_call', name: 'edit' }];
  expect(document({ ...response, usage, output })).toMatchObject({
    model: MODEL,
    inputTokens: 12,
    tools: new Map([['edit', 1]]),
    isComplete: true,
  });
});

it.each(['completed', 'incomplete', 'failed', 'cancelled'])('response.%s ends a stream', (state) => {
  expect(streamed(created).isComplete).toBe(false);
  expect(streamed(created, { type: `response.${state}`, response }).isComplete).toBe(true);
});

it('another model in a later response is a change', () => {
  const other = { type: 'response.completed', response: { ...response, model: 'gpt-5-mini' } };
  expect(streamed(created, other)).toMatchObject({ model: undefined, fault: 'model_changed' });
});

describe('calls of tools', () => {
  it.each([
    [{ type: 'function_call', name: 'edit' }, 'edit'],
    [{ type: 'custom_tool_call', name: 'patch' }, 'patch'],
    [{ type: 'mcp_call', name: 'search' }, 'search'],
    [{ type: 'web_search_call' }, 'web_search'],
    [{ type: 'function_call', name: '' }, ''],
    [{ type: 'function_call', name: 5 }, ''],
  ])('of %j are counted as %j', (item, name) => {
    expect(streamed(created, { type: 'response.output_item.done', item }).tools).toEqual(new Map([[name, 1]]));
  });

  it('are counted once, when they are done', () => {
    const item = { type: 'function_call', name: 'edit' };
    const added = { type: 'response.output_item.added', item };
    const completed = { type: 'response.completed', response: { ...response, output: [item] } };
    const { tools } = streamed(created, added, { type: 'response.output_item.done', item }, completed);
    expect(tools).toEqual(new Map([['edit', 1]]));
  });

  it.each([{ type: 'message', name: 'edit' }, { type: 'function_call_output', name: 'edit' }, {}])(
    'are none of %j',
    (item) => {
      expect(streamed(created, { type: 'response.output_item.done', item }).tools.size).toBe(0);
    },
  );
});

it.each([[null], [5], ['[DONE]'], [[]], [{}], [{ type: 'error', message: 'x' }], [{ response: 'x' }]])(
  '%j says nothing',
  (event) => {
    expect(streamed(event)).toMatchObject({ fault: 'model_absent', isComplete: false });
    expect(document(event)).toMatchObject({ fault: 'model_absent', isComplete: false });
  },
);
