import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBase64, encodeBase64 } from './base64.ts';

test('bytes are spelled as Node spells them, and come back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const text = encodeBase64(bytes);
      expect(text).toBe(Buffer.from(bytes).toString('base64'));
      expect(decodeBase64(text)).toEqual(bytes);
    }),
  );
});

test('whatever is read is the one spelling of its bytes', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'AQgwfz+/=-_ \n'), maxLength: 12 });
  fc.assert(
    fc.property(letters, (text) => {
      const bytes = decodeBase64(text);
      if (bytes !== undefined) expect(encodeBase64(bytes)).toBe(text);
      else expect(Buffer.from(text, 'base64').toString('base64')).not.toBe(text);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['no padding', 'AQ'],
  ['half the padding', 'AQ='],
  ['padding alone', '===='],
  ['three signs of padding', 'A==='],
  ['padding in the middle', 'AQ==AQ=='],
  ['unused bits', 'AR=='],
  ['unused bits of two', 'AQJ='],
  ['the URL alphabet', 'AQ-_'],
  ['a space', 'AQ I'],
  ['a newline at the end', 'AQID\n'],
  ['a letter beyond ASCII', 'AQIé'],
  ['a surrogate pair', 'AQ😀'],
])('%s is refused', (_, text) => {
  expect(decodeBase64(text)).toBeUndefined();
});

test('base64 has one spelling', () => {
  expect(decodeBase64('AQ==')).toEqual(Uint8Array.of(1));
  expect(decodeBase64('')).toEqual(new Uint8Array());
  for (const text of ['AQ', 'AQ=', 'AR==', 'AQ==\n', ' AQ==', '-_8=', 'A'])
    expect(decodeBase64(text), text).toBeUndefined();
});
