import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteAllowance } from '../body/byte-allowance.ts';
import type { WireFormat } from '../endpoint/endpoint.ts';
import { answerBody } from './answer-body.ts';
import type { AnswerFacts } from './answer-facts.ts';

const MIB = 1024 * 1024;
const STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };
const bytes = (text: string) => new TextEncoder().encode(text);

/** A sink of an answer, and what it gave. */
function reading(
  headers: IncomingHttpHeaders,
  allowance = new ByteAllowance(64 * MIB),
  format: WireFormat = 'messages',
) {
  const given: Array<AnswerFacts | undefined> = [];
  return { sink: answerBody(format, headers, allowance, (facts) => given.push(facts)), given };
}

function read(
  text: string,
  { headers = STREAM, isWhole = true }: { headers?: IncomingHttpHeaders; isWhole?: boolean } = {},
) {
  const { sink, given } = reading(headers);
  sink.write(bytes(text));
  sink.end(isWhole);
  expect(given).toHaveLength(1);
  return given[0];
}

const start = '{"type":"message_start","message":{"id":"msg_ü","model":"claude-opus-4-1"}}';
const stop = '{"type":"message_stop"}';
const stream = `event: message_start\ndata: ${start}\n\nevent: message_stop\ndata: ${stop}\n\n`;
const complete = { model: 'claude-opus-4-1', isComplete: true };

describe('a stream of events is read', () => {
  it.each([
    ['as it is usual', stream],
    ['with CRLF', stream.replaceAll('\n', '\r\n')],
    ['with CR', stream.replaceAll('\n', '\r')],
    ['with a byte order mark', `\ufeff${stream}`],
    ['with comments between the events', `: OPENROUTER PROCESSING\n\n${stream.replaceAll('\n\n', '\n\n: ping\n\n')}`],
    ['with events that hold nothing', `data:\n\n${stream}data: \n\n`],
    ['with fields that are not known', `retry: x\nid: 1\nfoo: bar\nbaz\n${stream}`],
    ['with data on several lines', stream.replace('"message":', '\ndata: "message":')],
    ['with no space after the colon', stream.replaceAll(': {', ':{')],
    ['without a blank line at its end', stream.slice(0, -1)],
    ['without a newline at its end', stream.slice(0, -2)],
    ['with a carriage return at its end', `${stream.slice(0, -2)}\r`],
  ])('%s', (_, text) => {
    expect(read(text)).toMatchObject(complete);
  });

  it('the same, however it is cut into chunks', () => {
    const whole = bytes(stream.replaceAll('\n\n', '\r\n\r\n'));
    fc.assert(
      fc.property(fc.array(fc.nat({ max: whole.length }), { maxLength: 30 }), (places) => {
        const { sink, given } = reading(STREAM);
        const edges = [0, ...places.sort((a, b) => a - b), whole.length];
        for (const [index, edge] of edges.slice(1).entries()) sink.write(whole.subarray(edges[index], edge));
        sink.end(true);
        expect(given).toEqual([expect.objectContaining(complete)]);
      }),
    );
  });

  it.each(['text/event-stream', 'TEXT/Event-Stream', 'text/event-stream;charset=utf-8', 'text/event-stream ; x=y'])(
    'where the type is %s',
    (type) => {
      expect(read(stream, { headers: { 'content-type': type } })).toMatchObject(complete);
    },
  );

  it.each([undefined, 'text/event-streams', 'application/json', 'text/plain; a=text/event-stream'])(
    'nowhere else: %s',
    (type) => {
      expect(read(stream, { headers: type === undefined ? {} : { 'content-type': type } })).toBeUndefined();
    },
  );
});

it('a stream that broke off says what came before, and not what was half there', () => {
  expect(read(stream.slice(0, -30), { isWhole: false })).toMatchObject({ model: 'claude-opus-4-1', isComplete: false });
  expect(read(stream.slice(0, -1), { isWhole: false })).toMatchObject({ isComplete: false });
});

it.each([
  ['an event that is no JSON', `data: {"type":\n\n${stream}`],
  ['an event that is no JSON after all others', `${stream}data: oops\n\n`],
  ['an event that ends too early', `${stream}data: {"type":`],
  ['[DONE] with something after it', `${stream}data: [DONE]x\n\n`],
])('a stream with %s is not read', (_, text) => {
  expect(read(text)).toBeUndefined();
});

it('what is no event stream after an error in it is not looked at any more', () => {
  const { sink, given } = reading(STREAM);
  expect(sink.write(bytes('data: oops\n\n'))).toBe(false);
  sink.write(bytes(stream));
  sink.end(true);
  expect(given).toEqual([undefined]);
});

describe('what an answer has said so far', () => {
  it('is known of a stream with each event', () => {
    const { sink } = reading(STREAM);
    expect(sink.soFar()).toMatchObject({ fault: 'model_absent' });
    sink.write(bytes(stream.slice(0, -10)));
    expect(sink.soFar()).toMatchObject({ model: 'claude-opus-4-1', isComplete: false });
    sink.write(bytes('data: oops\n\n'));
    expect(sink.soFar()).toBeUndefined();
  });

  it('is not known of a coding that cannot be undone', () => {
    const { sink } = reading(STREAM);
    sink.fail();
    expect(sink.soFar()).toBeUndefined();
  });

  it('is not known of a document', () => {
    const { sink } = reading({});
    sink.write(bytes('{"model":"claude-opus-4-1"}'));
    expect(sink.soFar()).toBeUndefined();
  });
});

describe('the memory of a stream', () => {
  const part = bytes('x'.repeat(MIB));

  it('is that of one event: 24 MiB of deltas pass through 3 MiB', () => {
    const { sink, given } = reading(STREAM, new ByteAllowance(3 * MIB));
    const delta = bytes(`data: {"type":"content_block_delta","delta":{"text":"${'x'.repeat(2 * MIB)}"}}\n\n`);
    sink.write(bytes(stream.slice(0, stream.indexOf('event: message_stop'))));
    for (let i = 0; i < 12; i += 1) expect(sink.write(delta)).toBe(true);
    sink.write(bytes(`data: ${stop}\n\n`));
    sink.end(true);
    expect(given).toEqual([expect.objectContaining(complete)]);
  });

  it('ends at 16 MiB of one event', () => {
    const { sink, given } = reading(STREAM);
    sink.write(bytes(`${stream}data: "`));
    for (let i = 0; i < 15; i += 1) expect(sink.write(part)).toBe(true);
    expect([sink.write(part), sink.write(part)]).toContain(false);
    expect(given).toEqual([undefined]);
  });

  it('ends at 16 MiB of the lines of one event, however little is on each', () => {
    const lines = bytes('data:\n'.repeat(MIB / 6));
    const { sink } = reading(STREAM);
    const written = Array.from({ length: 17 }, () => sink.write(lines));
    expect(written.lastIndexOf(true)).toBeGreaterThan(10);
    expect(written.at(-1)).toBe(false);
  });

  it('ends at as many lists and objects of one event as a document may have, and each event has its own', () => {
    const empty = bytes(`data: [${'{},'.repeat(90_000)}0]\n\n`);
    const many = reading(STREAM).sink;
    for (let i = 0; i < 15; i += 1) expect(many.write(empty)).toBe(true);

    const { sink, given } = reading(STREAM);
    sink.write(bytes('data: ['));
    const part = bytes('{},'.repeat(90_000));
    const written = Array.from({ length: 12 }, () => sink.write(part));
    expect(written.lastIndexOf(true)).toBe(10);
    expect(given).toEqual([undefined]);
  });

  it('is within what all bodies may keep, and given back', () => {
    const allowance = new ByteAllowance(3 * MIB);
    const { sink, given } = reading(STREAM, allowance);
    sink.write(bytes('data: "'));
    expect([sink.write(part), sink.write(part), sink.write(part)]).toEqual([true, true, false]);
    expect(given).toEqual([undefined]);
    expect(allowance.take(3 * MIB)).toBe(true);
  });

  it.each(['end', 'fail'] as const)('is given back at its %s', (how) => {
    const allowance = new ByteAllowance(MIB);
    const { sink } = reading(STREAM, allowance);
    sink.write(bytes('data: "'));
    sink[how](false);
    expect(allowance.take(MIB)).toBe(true);
  });
});

describe('a document', () => {
  const headers = { 'content-type': 'application/json' };

  it('is read at its end', () => {
    expect(read('{"type":"message","model":"claude-opus-4-1"}', { headers })).toMatchObject(complete);
  });

  it.each([
    ['broke off', '{"model":"claude-opus-4-1"}', false],
    ['is no JSON', '<html>', true],
    ['is empty', '', true],
  ])('that %s is not read', (_, text, isWhole) => {
    expect(read(text, { headers, isWhole })).toBeUndefined();
  });
});

it.each([
  ['claude-opus-4-1-20250805', undefined],
  ['claude-haiku-4-5', 'model_changed'],
  ['', undefined],
])('the header openai-model: %s makes the fault %s', (model, fault) => {
  expect(read(stream, { headers: { ...STREAM, 'openai-model': model } })?.fault).toBe(fault);
});
