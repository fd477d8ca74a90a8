import { expect, it } from 'vitest';
import { holdsAnswer } from './error-answer.ts';

const json = JSON.stringify;
const groq = { error: { code: 'json_validate_failed', failed_generation: 'x' } };

it.each<[string, boolean]>([
  [json(groq), true],
  [json(groq, null, 2), true],
  [json({ error: { failed_generation: '' } }), false],
  [json({ error: { failed_generation: null } }), false],
  [json({ failed_generation: 'x' }), true],
  // In the words of a gateway.
  [json({ error: { message: 'Provider returned error', metadata: { raw: json(groq) } } }), true],
  [json({ error: { message: `litellm: ${json({ error: json(groq) })}` } }), true],
  [json({ error: { metadata: { raw: json({ failed_generation: '' }) } } }), false],
  [json([{ error: { content: 'x' } }]), true],
  [`\ufeff${json({ content: 'x' })}`, true],
  [`event: error\ndata: ${json({ error: { content: 'x' } })}\n\n`, true],
  [`event: error\ndata: ${json({ error: { message: 'x' } })}\n\n`, false],
  ['data: {}\n'.repeat(1_000), false],
  ['data: {}\n'.repeat(1_001), true],
  [json({ choices: [{}] }), true],
  [json({ choices: [] }), false],
  [json({ content: [{ text: 'x' }] }), true],
  [json({ content: 'x' }), true],
  [json({ content: null }), false],
  [json({ output: { text: 'x' } }), true],
  [json({ completion: 'x' }), true],
  [json({ completion: 1 }), false],
  [json({ error: { message: 'x', type: 'overloaded_error' } }), false],
  // What was asked, given back.
  [json({ detail: [{ type: 'missing', input: { messages: [{ role: 'user', content: 'x' }] } }] }), false],
  [json({ error: 'x' }), false],
  [json({ error: null }), false],
  ['null', false],
  ['<html>failed</html>', false],
  ['', false],
])('an error %j holds what a model wrote: %s', (text, is) => {
  expect(holdsAnswer(text)).toBe(is);
});
