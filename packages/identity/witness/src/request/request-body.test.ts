import { expect, test } from 'vitest';
import { ByteAllowance } from '../body/byte-allowance.ts';
import { UNREAD } from '../body/json-body.ts';
import { PART, requestBody } from './request-body.ts';

const sinkOf = (text: string) => {
  const bodies: unknown[] = [];
  const sink = requestBody(new ByteAllowance(10_000), (body) => bodies.push(body));
  sink.write(Buffer.from(text));
  return { sink, bodies };
};

test.each<[string, unknown, unknown]>([
  ['{"a":1}', { a: 1 }, { a: 1 }],
  ['{"a":1', UNREAD, PART],
  ['', UNREAD, PART],
  ['{"a":1}{', UNREAD, UNREAD],
  ['{"a":1,"a":2}', UNREAD, UNREAD],
  ['a=1', UNREAD, UNREAD],
])('%j holds, sent to its end, %o, and broken off %o', (text, whole, cut) => {
  for (const [isWhole, expected] of [
    [true, whole],
    [false, cut],
  ] as const) {
    const { sink, bodies } = sinkOf(text);
    expect(sink.soFar()).toEqual(cut);
    sink.end(isWhole);
    expect(bodies).toEqual([expected]);
  }
});

test('of a body that nobody can read nothing is known, also before its end', () => {
  const { sink, bodies } = sinkOf('{');
  sink.fail();
  expect([sink.soFar(), bodies]).toEqual([UNREAD, [UNREAD]]);
});
