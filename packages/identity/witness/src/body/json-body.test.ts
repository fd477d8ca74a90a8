import { expect, it } from 'vitest';
import { ByteAllowance, keptBytes } from './byte-allowance.ts';
import { jsonBody, MOST_DOCUMENT_BYTES, MOST_VALUES, UNREAD } from './json-body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const MIB = 1024 * 1024;

/** A sink, and every document that it gave. */
function reading(allowance = new ByteAllowance(64 * MIB)) {
  const documents: unknown[] = [];
  return { sink: jsonBody(allowance, (document) => documents.push(document)), documents, allowance };
}

it('reads a document that comes in pieces, also where a character is split', () => {
  const { sink, documents } = reading();
  for (const byte of bytes('{"a":"ü"}')) expect(sink.write(Uint8Array.of(byte))).toBe(true);
  expect(documents).toEqual([]);
  sink.end(true);
  expect(documents).toEqual([{ a: 'ü' }]);
});

it.each([
  ['of a body that broke off', '{}', false],
  ['of what is no JSON', '{"a":', true],
  ['of an empty body', '', true],
  ['after a byte order mark', '\ufeff{}', true],
])('reads nothing %s', (_, text, isWhole) => {
  const { sink, documents } = reading();
  sink.write(bytes(text));
  sink.end(isWhole);
  expect(documents).toEqual([UNREAD]);
});

it('says once what it read, whatever follows', () => {
  const { sink, documents } = reading();
  sink.write(bytes('1'));
  sink.end(true);
  expect(sink.write(bytes('2'))).toBe(false);
  sink.fail();
  sink.end(false);
  expect(documents).toEqual([1]);
});

it('reads a document of the largest size, and none that is a byte larger', () => {
  const largest = new Uint8Array(MOST_DOCUMENT_BYTES).fill(0x20);
  largest[0] = 0x31;
  const one = reading();
  one.sink.write(largest);
  one.sink.end(true);
  expect(one.documents).toEqual([1]);
  const more = reading();
  more.sink.write(largest);
  expect(more.sink.write(bytes(' '))).toBe(false);
  expect(more.documents).toEqual([UNREAD]);
});

it('keeps no more than it is allowed, and gives back what it kept', () => {
  const chunk = new Uint8Array(1000);
  const allowance = new ByteAllowance(3 * keptBytes(chunk));
  const { sink, documents } = reading(allowance);
  expect([1, 2, 3].map(() => sink.write(chunk))).toEqual([true, true, true]);
  expect(allowance.take(1)).toBe(false);
  expect(sink.write(chunk)).toBe(false);
  expect(documents).toEqual([UNREAD]);
  expect(allowance.take(3 * keptBytes(chunk))).toBe(true);
});

it.each(['end', 'fail'] as const)('gives back what it kept at its %s', (how) => {
  const allowance = new ByteAllowance(1_000);
  const { sink } = reading(allowance);
  sink.write(bytes('{}'));
  sink[how](true);
  expect(allowance.take(1_000)).toBe(true);
});

it.each(['{}', '[]'])('reads a document with the most lists and objects, and none with one more: %s', (value) => {
  const list = (length: number) => bytes(`[${Array.from({ length }, () => value).join()}]`);
  const one = reading();
  one.sink.write(list(MOST_VALUES - 1));
  one.sink.end(true);
  expect(one.documents).toEqual([expect.any(Array)]);
  const more = reading();
  const body = list(MOST_VALUES);
  expect(more.sink.write(body.subarray(0, 1000))).toBe(true);
  expect(more.sink.write(body.subarray(1000))).toBe(false);
  expect(more.documents).toEqual([UNREAD]);
  expect(more.allowance.take(64 * MIB)).toBe(true);
});
