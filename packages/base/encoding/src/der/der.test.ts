import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DER_TAG, DerError, readBitString, readDer, readDerElements, readOid } from './der-reader.ts';
import { derBitString, derOctetString, derOid, derSequence, derTime, derUnsigned, encodeDer } from './der-writer.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));

test('whatever is encoded is read back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70_000 }), (content) => {
      const element = readDer(derSequence(derOctetString(content)), DER_TAG.sequence);
      expect(hex(readDerElements(element.content)[0]!.content)).toBe(hex(content));
    }),
    { numRuns: 50 },
  );
});

test('reading never throws anything but DerError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (content) => {
      try {
        readOid(readDerElements(readDer(content).content)[0]);
      } catch (error) {
        expect(error).toBeInstanceOf(DerError);
      }
    }),
  );
});

test('object identifiers are written as X.690 §8.19 has them', () => {
  expect(hex(derOid('1.2.840.113549'))).toBe('06062a864886f70d');
  expect(hex(derOid('2.999.3'))).toBe('0603883703');
  fc.assert(
    fc.property(fc.nat(2), fc.nat(39), fc.array(fc.nat(2 ** 31 - 1), { maxLength: 6 }), (first, second, rest) => {
      const dotted = [first, second, ...rest].join('.');
      expect(readOid(readDer(derOid(dotted)))).toBe(dotted);
    }),
  );
});

test.each(['', '1', '3.1', '1.40', '1.2.-1', '1.2.x', '1.2.2147483648'])('%j is no object identifier', (dotted) => {
  expect(() => derOid(dotted)).toThrow(TypeError);
});

test('integers are as short as can be and never negative', () => {
  expect(hex(derUnsigned(bytes('00')))).toBe('020100');
  expect(hex(derUnsigned(bytes('007f')))).toBe('02017f');
  expect(hex(derUnsigned(bytes('80')))).toBe('02020080');
  expect(hex(derUnsigned(new Uint8Array()))).toBe('020100');
});

test('a time is UTCTime through 2049 and GeneralizedTime after', () => {
  const text = (date: string) => {
    const { tag, content } = readDer(derTime(new Date(date)));
    return [tag, Buffer.from(content).toString()];
  };
  expect(text('2026-11-21T06:52:12.709Z')).toEqual([DER_TAG.utcTime, '261121065212Z']);
  expect(text('2049-12-31T23:59:59Z')).toEqual([DER_TAG.utcTime, '491231235959Z']);
  expect(text('2050-01-01T00:00:00Z')).toEqual([DER_TAG.generalizedTime, '20500101000000Z']);
});

test.each([
  ['', 'nothing'],
  ['30', 'a tag alone'],
  ['3001', 'too few bytes'],
  ['3080', 'an indefinite length'],
  ['308100', 'a length that is not the shortest'],
  ['30817f', 'a long length below 128'],
  ['30820001ff', 'a leading zero in the length'],
  ['3085000000000100', 'a length of five bytes'],
  ['1f0100', 'a long tag'],
])('%s is refused: %s', (encoded) => {
  expect(() => readDer(bytes(encoded))).toThrow(DerError);
});

test('bytes after the element and another tag are refused', () => {
  expect(() => readDer(bytes('050000'))).toThrow(DerError);
  expect(() => readDer(bytes('0500'), DER_TAG.sequence)).toThrow(DerError);
  expect(readDer(bytes('0500'), DER_TAG.null).tag).toBe(DER_TAG.null);
});

test('an identifier with a padded or cut-off arc is refused', () => {
  for (const encoded of ['06022a80', '06032a8001', '0600'])
    expect(() => readOid(readDer(bytes(encoded)))).toThrow(DerError);
  expect(() => readOid(readDer(bytes('0500')))).toThrow(DerError);
  expect(() => readOid(undefined)).toThrow(DerError);
});

test('a bit string of whole bytes is read, another is not', () => {
  expect(hex(readBitString(readDer(derBitString(bytes('abcd')))))).toBe('abcd');
  expect(() => readBitString(readDer(derBitString(bytes('80'), 7)))).toThrow(DerError);
  expect(() => readBitString(readDer(encodeDer(DER_TAG.octetString, bytes('00'))))).toThrow(DerError);
});
