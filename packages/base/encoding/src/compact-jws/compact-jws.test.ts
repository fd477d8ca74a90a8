import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCompactJws } from './compact-jws.ts';

const url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

test('what Node writes as base64url is taken apart', () => {
  const part = fc.uint8Array({ minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(part, part, fc.uint8Array({ maxLength: 60 }), (header, payload, signature) => {
      const text = [header, payload, signature].map(url).join('.');
      const signingInput = `${url(header)}.${url(payload)}`;
      expect(parseCompactJws(text, 1000)).toEqual({ ok: true, value: { header, payload, signature, signingInput } });
    }),
  );
});

test('whatever is read is the one spelling of its parts', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'AQgwf-_=+/. \n'), maxLength: 14 });
  fc.assert(
    fc.property(letters, (text) => {
      const parsed = parseCompactJws(text, 1000);
      if (!parsed.ok) return;
      const { header, payload, signature } = parsed.value;
      expect([header, payload, signature].map(url).join('.')).toBe(text);
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['nothing', '', 'segments'],
  ['two segments', 'AQ.AQ', 'segments'],
  ['an encrypted token', 'AQ.AQ.AQ.AQ.AQ', 'segments'],
  ['an empty payload', 'AQ..AQ', 'segments'],
  ['padding', 'AQ==.AQ.AQ', 'segments'],
  ['the standard alphabet', 'AQ.+/8.AQ', 'segments'],
  ['a line end', 'AQ.AQ.AQ\n', 'segments'],
  ['unused bits in the header', 'AR.AQ.AQ', 'header'],
  ['a letter too many in the payload', 'AQ.AQIDA.AQ', 'payload'],
  ['unused bits in the signature', 'AQ.AQ.AR', 'signature'],
  ['more than the caller allows', 'AQ.AQ.AQIDBAUGBwgJCgsMDQ4P', 'length'],
])('%s is refused', (_, text, problem) => {
  expect(parseCompactJws(text, 20)).toEqual({ ok: false, problem });
});
