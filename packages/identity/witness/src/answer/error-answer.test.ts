import { expect, it } from 'vitest';
import { mayHaveBegun, mayHoldAnswer } from './error-answer.ts';

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
  [json([{ error: { message: 'x' } }, { error: { content: 'x' } }]), true],
  ['[]', false],
  [`event: error\ndata:${json({ error: { content: 'x' } })}\n\n`, true],
  [`said data: ${json({ error: { content: 'x' } })}`, false],
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
  expect(mayHoldAnswer(text, 400)).toBe(is);
});

const failed = (message: string) => json({ error: { message, type: 'server_error', param: null, code: null } });

it.each<[string, boolean]>([
  ['', false],
  ['Internal Server Error', false],
  ['\ufeff Bad Gateway\r\n', false],
  [' \n', false],
  ['<html>\r\n<head><title>502 Bad Gateway</title></head><hr><center>nginx</center></html>', false],
  ['<!DOCTYPE html>\n<title>api.example | 524: A timeout occurred</title><p>What happened? "raw"', false],
  ['no healthy upstream', false],
  ['upstream connect error or disconnect/reset before headers. reset reason: connection termination', false],
  ['upstream connect error or disconnect/reset before headers. reset reason: x="1"', true],
  ['503 Service Unavailable.', false],
  ['503 Service. Unavailable', true],
  ['{"type":"error","error":{"type":"api_error","message":"Internal server error"},"request_id":"req_01"}', false],
  [failed('The server had an error while processing your request. Sorry about that! (Please include req_1.)'), false],
  [json({ error: { code: 503, message: 'The model is overloaded. Please try again.', status: 'UNAVAILABLE' } }), false],
  [json({ message: null, __type: 'com.amazon.coral.service#InternalFailure' }), false],
  [failed('Failed to parse input at pos 0: answer'), true],
  [failed("error parsing tool call, raw='x=1;' \n err"), true],
  [failed('x'.repeat(401)), true],
  [failed('x'.repeat(400)), false],
  [json({ error: { code: ['a\nb'] } }), true],
  ['the answer', true],
  [`502 Bad Gateway\nanswer`, true],
  ['{"error":"a","error":"b"}', true],
  [json({ error: { details: [{ a: ['x', { 'x: y': 1 }] }] } }), true],
  [json({ error: { details: [[1, true, null, ['x']]] } }), false],
])('the error of a server %j may hold what a model wrote: %s', (text, is) => {
  expect([500, 503, 600].map((status) => mayHoldAnswer(text, status))).toEqual([is, is, is]);
});

it('a model may have answered where a server failed or somebody waited in vain, and not where it was not asked', () => {
  const all = Array.from({ length: 200 }, (_, index) => 400 + index);
  const refused = all.filter((status) => !mayHaveBegun(status, ''));
  expect(refused.filter((status) => status >= 500)).toEqual([501, 505, 529]);
  expect(all.filter((status) => status < 500 && mayHaveBegun(status, 'overloaded'))).toEqual([408, 424, 499]);
});

const reset = (reason: string) => `upstream connect error or disconnect/reset before headers. ${reason}`;

it.each<[string, boolean]>([
  ['no healthy upstream', false],
  [` ${reset('reset reason: connection failure')}\r\n`, false],
  [reset('reset reason: local connection failure'), false],
  [reset('reset reason: remote connection failure'), false],
  [reset('reset reason: connection timeout'), false],
  [reset('reset reason: overflow'), false],
  [reset('reset reason: remote refused stream reset'), false],
  [reset('reset reason: local refused stream reset'), false],
  [reset('reset reason: connection termination'), true],
  [reset('reset reason: remote reset'), true],
  [reset('reset reason: local reset'), true],
  [reset('reset reason: overload manager reset'), true],
  [reset('reset reason: refused stream reset'), true],
  // What became of the tries before is not said.
  [reset('retried and the latest reset reason: connection failure'), true],
  [reset('retried and the latest reset reason: remote reset'), true],
  ['upstream request timeout', true],
  ['', true],
  ['Service Unavailable', true],
  ['<html><title>503 Backend fetch failed</title></html>', true],
  ['<html>overloaded</html>', true],
  ['first byte timeout', true],
  [failed('The engine is currently overloaded, please try again later'), false],
  [json({ error: { code: 503, message: 'The model is overloaded. Please try again.', status: 'UNAVAILABLE' } }), false],
  [json({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }), false],
  [json({ error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }), false],
  [json({ error: 'Model is currently loading', estimated_time: 20 }), false],
  [json({ error: 'server busy, please try again.  maximum pending requests exceeded' }), false],
  [failed('Slow down'), false],
  [failed('We are at capacity'), false],
  [json({ message: 'Too many connections before processing request' }), false],
  [
    failed(
      'That model is currently overloaded with other requests. You can retry your request, or contact us through our help center at help.openai.com if the error persists. (Please include the request ID 1f-2 in your message.)',
    ),
    false,
  ],
  [failed('The server is overloaded or not ready yet.'), false],
  [json({ error: 'Model acme/large-2 is currently loading', estimated_time: 20 }), false],
  [failed('Our servers are currently overloaded. Please try again later.'), false],
  [json({ error: { message: 'No.', code: 'server_is_overloaded' } }), false],
  [
    failed(
      'The server is currently overloaded with other requests. Sorry about that! You can retry your request, or contact us through our help center at help.openai.com if the error persists.',
    ),
    false,
  ],
  [failed('acme-70b is currently over capacity. Please try again and back off exponentially.'), false],
  [failed('The model is at capacity currently. Please try again later.'), false],
  [json({ error: 'Server overloaded, please retry shortly (ref: 1f-2)' }), false],
  [
    failed(
      'This model is currently experiencing high demand. Spikes in demand are usually temporary. Please try again later.',
    ),
    false,
  ],
  [failed(`The model is overloaded${' please try again'.repeat(10_000)} x`), true],
  // What the request said, given back where a model was asked and did not answer in time.
  [failed('Timeout while waiting for the model too many requests'), true],
  [failed('The model overloaded did not answer'), true],
  [failed('The model is overloaded timed out'), true],
  [json({ error: { message: 'Upstream timeout', model: 'overloaded' } }), true],
  [json({ error: { message: 'Upstream timeout', overloaded: 'at capacity' } }), true],
  [json({ error: { message: 'Upstream timeout', request: { type: 'overloaded_error' } } }), true],
  [json(['overloaded']), true],
  [json({ error: { message: ['overloaded'] } }), true],
  ['null', true],
  [json({ error: { message: 'No.', code: 'slow_down' } }), false],
  [json({ error: { message: 'No.', type: 'engine_overloaded' } }), false],
  [json({ detail: 'Overloaded.' }), false],
  [failed('The server had an error while processing your request'), true],
  [json({ error: { message: 'The service is currently unavailable.', status: 'UNAVAILABLE' } }), true],
  ['{}', true],
])('a model may have answered to a request with a 503 %j: %s', (text, is) => {
  expect(mayHaveBegun(503, text)).toBe(is);
});

it('an error is read however deep it nests', () => {
  const nested = (open: string, close: string, text: string) =>
    `${open.repeat(20_000)}"${text}"${close.repeat(20_000)}`;
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const)
    expect(['x', 'x: y'].map((text) => mayHoldAnswer(nested(open, close, text), 500))).toEqual([false, true]);
});
