import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../fingerprint/fingerprint.ts';
import { unitsOf } from '../unit/unit.ts';
import { decodeIndex, encodeIndex, type IndexedFile } from './index-file.ts';

const word = fc.nat(0xffff_ffff);
const sorted = (words: readonly number[]) => Uint32Array.from(new Set(words)).sort();

const file = fc
  .record({
    package: fc.constantFrom('pkg:npm/one@1.0.0', 'two', '名'),
    path: fc.string(),
    tokens: fc.array(fc.tuple(fc.constantFrom(1, 70, 0xffff_fff0), fc.oneof(fc.constant(0), word)), { maxLength: 150 }),
    words: fc.array(word, { maxLength: 30 }),
    comments: fc.option(fc.array(word, { maxLength: 30 }), { nil: undefined }),
    hasFunction: fc.boolean(),
  })
  .map(({ tokens, words, comments, hasFunction, ...names }): IndexedFile => {
    const symbols = Uint32Array.from(tokens, ([symbol]) => symbol);
    const functions =
      hasFunction && tokens.length > 100
        ? [
            { start: 10, end: 90 },
            { start: 20, end: 75 },
          ]
        : [];
    return {
      ...names,
      source: {
        symbols,
        values: Uint32Array.from(tokens, ([, value]) => value),
        lines: symbols.map((_, index) => 1 + (index >> 2)),
        units: unitsOf(symbols.length, functions),
        vocabulary: sorted(words),
        vocabularyWithComments: comments === undefined ? undefined : sorted([...words, ...comments]),
        fingerprint: fingerprintOf(symbols),
        language: 'go',
        unparsed: 0.25,
      },
    };
  });

test('an index is read as it was written', () => {
  fc.assert(
    fc.property(fc.array(file, { maxLength: 4 }), (files) => {
      expect(decodeIndex(encodeIndex(files))).toEqual({ ok: true, files });
    }),
  );
});

test('bytes that somebody changed are read or refused, and never break the reader', () => {
  fc.assert(
    fc.property(fc.array(file, { minLength: 1, maxLength: 3 }), fc.nat(), fc.nat(255), (files, at, byte) => {
      const bytes = encodeIndex(files);
      bytes[at % bytes.length] = byte;
      const reading = decodeIndex(bytes);
      if (!reading.ok) expect(reading.reason).not.toBe('');
      else for (const { source } of reading.files) expect(source.values).toHaveLength(source.symbols.length);
    }),
  );
});

test('any bytes are read or refused', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => typeof decodeIndex(bytes).ok === 'boolean'));
});
