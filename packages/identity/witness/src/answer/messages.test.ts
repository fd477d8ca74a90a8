import { describe, expect, it } from 'vitest';
import { AnswerNotes } from './answer-facts.ts';
import { messages } from './messages.ts';

const MODEL = 'claude-opus-4-1-20250805';

function streamed(...events: readonly unknown[]) {
  const notes = new AnswerNotes();
  for (const event of events) messages.event(event, notes);
  return notes.facts();
}

function document(body: unknown) {
  const notes = new AnswerNotes();
  messages.document(body, notes);
  return notes.facts();
}

const message = { type: 'message', id: 'msg_01', model: MODEL, usage: { input_tokens: 10, output_tokens: 1 } };
const start = { type: 'message_start', message };
const stop = { type: 'message_stop' };

it('a stream names model and id at its start, and counts output at its end', () => {
  expect(streamed(start, { type: 'ping' }, { type: 'message_delta', usage: { output_tokens: 30 } }, stop)).toEqual({
    model: MODEL,
    fault: undefined,
    responseId: 'msg_01',
    inputTokens: 10,
    outputTokens: 30,
    tools: new Map(),
    isComplete: true,
  });
});

it('a document says the same at once', () => {
  expect(document({ ...message, content: [{ type: 'tool_use', name: 'edit' }] })).toMatchObject({
    model: MODEL,
    responseId: 'msg_01',
    inputTokens: 10,
    tools: new Map([['edit', 1]]),
    isComplete: true,
  });
});

it('input from a cache, or into it, is input', () => {
  const usage = { input_tokens: 1, cache_creation_input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 4 };
  expect(document({ ...message, usage }).inputTokens).toBe(321);
});

it.each([[undefined], [null], ['12'], [{}]])('input that is not counted (%j) leaves the count as it was', (input) => {
  const delta = { type: 'message_delta', usage: { input_tokens: input, output_tokens: 3 } };
  expect(streamed(start, delta)).toMatchObject({ inputTokens: 10, outputTokens: 3 });
});

it.each([
  ['an event', { type: 'content_block_delta', model: 'claude-haiku-4-5' }],
  ['the delta of the message', { type: 'message_delta', delta: { model: 'claude-haiku-4-5' } }],
  ['a second start', { type: 'message_start', message: { ...message, model: 'claude-haiku-4-5' } }],
])('another model in %s is a change', (_, event) => {
  expect(streamed(start, event, stop)).toMatchObject({ model: undefined, fault: 'model_changed' });
});

describe('a turn that a second model had a part in is of none', () => {
  const iterations = (...models: readonly string[]) => ({
    iterations: models.map((model) => ({ type: 'fallback_message', model, input_tokens: 1, output_tokens: 1 })),
  });

  it('with a fallback block', () => {
    const block = { type: 'content_block_start', content_block: { type: 'fallback' } };
    expect(streamed(start, block, stop).fault).toBe('model_changed');
    expect(document({ ...message, content: [{ type: 'text' }, { type: 'fallback' }] }).fault).toBe('model_changed');
  });

  it.each(['fallback_message', 'advisor_message'])('with an iteration of type %s and another model', (type) => {
    const usage = { ...message.usage, iterations: [{ type: 'message' }, { type, model: 'claude-haiku-4-5' }] };
    expect(document({ ...message, usage }).fault).toBe('model_changed');
    expect(streamed(start, { type: 'message_delta', usage }, stop).fault).toBe('model_changed');
  });

  it('but not with iterations of the same model', () => {
    expect(document({ ...message, usage: { ...message.usage, ...iterations(MODEL, MODEL) } }).model).toBe(MODEL);
  });
});

it.each(['tool_use', 'server_tool_use', 'mcp_tool_use'])('a block of type %s is the call of a tool', (type) => {
  const block = (name?: string) => ({ type: 'content_block_start', content_block: { type, name } });
  expect(streamed(start, block('edit'), block('edit'), block()).tools).toEqual(
    new Map([
      ['edit', 2],
      ['', 1],
    ]),
  );
});

it.each(['text', 'thinking', 'mcp_tool_result', undefined])('a block of type %s is no call', (type) => {
  const block = { type: 'content_block_start', content_block: { type, name: 'edit' } };
  expect(streamed(start, block).tools.size).toBe(0);
});

it('a stream without its last event is incomplete, and keeps its model', () => {
  expect(streamed(start)).toMatchObject({ model: MODEL, isComplete: false });
});

it('an error names no model, and completes nothing', () => {
  const error = { type: 'error', error: { type: 'overloaded_error' } };
  expect(document(error)).toMatchObject({ fault: 'model_absent', isComplete: false });
  expect(streamed(error)).toMatchObject({ fault: 'model_absent', isComplete: false });
  expect(streamed(start, error)).toMatchObject({ model: MODEL, isComplete: false });
});

it.each([[null], [5], ['text'], [[]], [{}], [{ type: 'message_start' }], [{ type: 'message_delta', usage: 5 }]])(
  '%j says nothing',
  (event) => {
    expect(streamed(event).fault).toBe('model_absent');
    expect(document(event).fault).toBe('model_absent');
  },
);
