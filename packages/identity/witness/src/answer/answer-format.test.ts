import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WIRE_FORMATS } from '../endpoint/endpoint.ts';
import { AnswerNotes } from './answer-facts.ts';
import { ANSWER_FORMATS } from './answer-format.ts';

/** Members that one of the formats reads, and such as make an object that no conversion can be made of. */
const NAMES = ['type', 'model', 'id', 'usage', 'message', 'response', 'item', 'delta', 'choices', 'content', 'output'];
const MORE = ['content_block', 'tool_calls', 'function', 'name', 'input_tokens', 'iterations', 'toString', 'valueOf'];
const TYPES = ['message_start', 'content_block_start', 'message_delta', 'response.output_item.done', 'x_call'];

const { anything } = fc.letrec<{ anything: unknown }>((tie) => ({
  anything: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, '', '[DONE]', ...TYPES),
    fc.dictionary(fc.constantFrom(...NAMES, ...MORE), tie('anything')),
    fc.array(tie('anything'), { maxLength: 3 }),
  ),
}));

it.each(WIRE_FORMATS)('no JSON makes the reading of %s throw', (name) => {
  const format = ANSWER_FORMATS[name];
  const odd = { toString: 1, valueOf: 1 };
  const usage = { input_tokens: odd, output_tokens: odd, cache_read_input_tokens: odd, iterations: [{ model: odd }] };
  const block = { type: odd, name: odd };
  const documents = [{ model: odd, id: odd, usage, content: [block], output: [block], choices: [block] }];
  const events = [
    ...TYPES.map((type) => ({ type, message: documents[0], content_block: block, item: block, usage, delta: block })),
    { type: odd, response: documents[0] },
  ];
  const read = (body: unknown) => {
    const notes = new AnswerNotes();
    format.document(body, notes);
    format.event(body, notes);
    expect(notes.facts().tools).toBeInstanceOf(Map);
  };
  for (const body of [...documents, ...events]) read(body);
  fc.assert(fc.property(anything, read), { numRuns: 200 });
});
