import { describe, expect, it } from 'vitest';
import { AnswerNotes } from './answer-facts.ts';
import { chatCompletions } from './chat-completions.ts';

const MODEL = 'gpt-4o-2024-08-06';
const chunk = { id: 'chatcmpl-01', object: 'chat.completion.chunk', model: MODEL };
const usage = { prompt_tokens: 12, completion_tokens: 7 };

function streamed(...events: readonly unknown[]) {
  const notes = new AnswerNotes();
  for (const event of events) chatCompletions.event(event, notes);
  return notes.facts();
}

function document(body: unknown) {
  const notes = new AnswerNotes();
  chatCompletions.document(body, notes);
  return notes.facts();
}

const delta = (part: unknown) => ({ ...chunk, choices: [{ index: 0, delta: part }] });

it('a stream names model and id with each chunk, and counts tokens in the last', () => {
  expect(streamed(delta({ content: 'a' }), { ...chunk, choices: [], usage }, '[DONE]')).toEqual({
    model: MODEL,
    fault: undefined,
    responseId: 'chatcmpl-01',
    inputTokens: 12,
    outputTokens: 7,
    tools: new Map(),
    isComplete: true,
  });
});

it('a first chunk with an empty model and id, as Azure sends it, says nothing', () => {
  const first = { choices: [], id: '', model: '', object: '', prompt_filter_results: [] };
  expect(streamed(first, delta({ content: 'a' }), '[DONE]')).toMatchObject({
    model: MODEL,
    responseId: 'chatcmpl-01',
    isComplete: true,
  });
});

it('another model in a later chunk is a change', () => {
  const facts = streamed(delta({ content: 'a' }), { ...delta({ content: 'b' }), model: 'gpt-4o-mini' }, '[DONE]');
  expect(facts).toMatchObject({ model: undefined, fault: 'model_changed' });
});

it('a stream without its last event is incomplete, and keeps its model', () => {
  expect(streamed(delta({ content: 'a' }))).toMatchObject({ model: MODEL, isComplete: false });
});

it('a document is complete where it has choices', () => {
  expect(document({ ...chunk, choices: [], usage })).toMatchObject({ model: MODEL, isComplete: true });
  expect(document(chunk)).toMatchObject({ model: MODEL, isComplete: false });
});

describe('calls of tools', () => {
  const called = { id: 'call_01', type: 'function', function: { name: 'edit', arguments: '{}' } };

  it('are counted in every choice of a document', () => {
    const choice = { message: { tool_calls: [called, { type: 'custom', custom: { name: 'patch' } }] } };
    expect(document({ ...chunk, choices: [choice, choice] }).tools).toEqual(
      new Map([
        ['edit', 2],
        ['patch', 2],
      ]),
    );
  });

  it('are counted once in a stream, where their later pieces have no name', () => {
    const facts = streamed(
      delta({ tool_calls: [{ index: 0, ...called }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] }),
      delta({ tool_calls: [{ index: 0, function: { name: '', arguments: ':1' } }] }),
      delta({ tool_calls: [{ index: 0, function: { name: null, arguments: '}' } }] }),
    );
    expect(facts.tools).toEqual(new Map([['edit', 1]]));
  });

  it('may be written as they were before there were several', () => {
    const message = { function_call: { name: 'edit' } };
    expect(document({ ...chunk, choices: [{ message }] }).tools).toEqual(new Map([['edit', 1]]));
  });
});

it.each([[null], [5], [[]], [{}], [{ error: { code: 502 } }], [{ choices: 'x' }], [{ choices: [null, {}] }]])(
  '%j says nothing',
  (event) => {
    expect(streamed(event)).toMatchObject({ fault: 'model_absent', isComplete: false });
    expect(document(event).fault).toBe('model_absent');
  },
);
