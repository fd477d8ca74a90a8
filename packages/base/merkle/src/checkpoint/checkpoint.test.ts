import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromHex } from '../../test/vectors.ts';
import rekor from '../../vectors/rekor-v1/checkpoint_valid.json' with { type: 'json' };
import { parseNote } from '../note/note.ts';
import { formatCheckpoint, parseCheckpoint } from './checkpoint.ts';

const ROOT = new Uint8Array(32).fill(1);
const ROOT_TEXT = Buffer.from(ROOT).toString('base64');

function codes(text: string): string[] {
  const result = parseCheckpoint(text);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
}

test.each(rekor.checkpoints)(
  'the public log’s checkpoint is read: $title',
  ({ note, origin, size, root, extensions }) => {
    const parsed = parseNote(note);
    const checkpoint = parseCheckpoint(parsed.ok ? parsed.value.text : '');
    expect(checkpoint).toMatchObject({ ok: true, value: { origin, size, root: fromHex(root) } });
    expect(checkpoint.ok && checkpoint.value.extensions).toHaveLength(extensions);
  },
);

test('a checkpoint is three lines', () => {
  expect(formatCheckpoint({ origin: 'log.example - 7', size: 12, root: ROOT })).toBe(
    `log.example - 7\n12\n${ROOT_TEXT}\n`,
  );
});

test('what is written is read back', () => {
  const lines = anyText({ minLength: 1 }).filter((text) => !/[\p{Cc}]/u.test(text) && text.isWellFormed());
  fc.assert(
    fc.property(lines, fc.maxSafeNat(), fc.uint8Array({ minLength: 32, maxLength: 32 }), (origin, size, root) => {
      const text = formatCheckpoint({ origin, size, root });
      expect(parseCheckpoint(text)).toEqual({ ok: true, value: { origin, size, root, extensions: [] } });
    }),
  );
});

test('lines after the root are kept in their order', () => {
  expect(parseCheckpoint(`o\n0\n${ROOT_TEXT}\nfirst\nsecond\n`)).toMatchObject({
    value: { size: 0, extensions: ['first', 'second'] },
  });
});

test.each([
  ['nothing', '', [' checkpoint.bad_form']],
  ['no newline at the end', `o\n1\n${ROOT_TEXT}`, [' checkpoint.bad_form']],
  ['two lines', 'o\n1\n', [' checkpoint.bad_form']],
  ['an empty origin', `\n1\n${ROOT_TEXT}\n`, ['/line/0 checkpoint.bad_origin']],
  ['a tab in the origin', `a\tb\n1\n${ROOT_TEXT}\n`, ['/line/0 checkpoint.bad_origin']],
  ['half a character in the origin', `a\ud800\n1\n${ROOT_TEXT}\n`, ['/line/0 checkpoint.bad_origin']],
  ['a carriage return after the origin', `o\r\n1\n${ROOT_TEXT}\n`, ['/line/0 checkpoint.bad_origin']],
  ['a leading zero', `o\n01\n${ROOT_TEXT}\n`, ['/line/1 checkpoint.bad_size']],
  ['a sign', `o\n+1\n${ROOT_TEXT}\n`, ['/line/1 checkpoint.bad_size']],
  ['a negative size', `o\n-1\n${ROOT_TEXT}\n`, ['/line/1 checkpoint.bad_size']],
  ['a size in hex', `o\n0x1\n${ROOT_TEXT}\n`, ['/line/1 checkpoint.bad_size']],
  ['a size with an exponent', `o\n1e3\n${ROOT_TEXT}\n`, ['/line/1 checkpoint.bad_size']],
  ['an empty size', `o\n\n${ROOT_TEXT}\n`, ['/line/1 checkpoint.bad_size']],
  ['a size with a space', `o\n1 \n${ROOT_TEXT}\n`, ['/line/1 checkpoint.bad_size']],
  ['a size of 2^53', `o\n9007199254740992\n${ROOT_TEXT}\n`, ['/line/1 checkpoint.bad_size']],
  ['a root of 31 bytes', `o\n1\n${Buffer.alloc(31).toString('base64')}\n`, ['/line/2 checkpoint.bad_root']],
  ['a root without padding', `o\n1\n${ROOT_TEXT.slice(0, -1)}\n`, ['/line/2 checkpoint.bad_root']],
  ['an empty further line', `o\n1\n${ROOT_TEXT}\n\n`, ['/line/3 checkpoint.bad_extension']],
  ['NUL in a further line', `o\n1\n${ROOT_TEXT}\nx\na\0b\n`, ['/line/4 checkpoint.bad_extension']],
  [
    'everything wrong at once',
    '\nx\ny\n\n',
    [
      '/line/0 checkpoint.bad_origin',
      '/line/1 checkpoint.bad_size',
      '/line/2 checkpoint.bad_root',
      '/line/3 checkpoint.bad_extension',
    ],
  ],
])('%s is refused', (_, text, expected) => {
  expect(codes(text)).toEqual(expected);
});

test('every issue names its standard', () => {
  const result = parseCheckpoint('\nx\ny\n\n');
  for (const { source } of result.ok ? [] : result.issues) expect(source).toBe('c2sp.org/tlog-checkpoint');
  expect(result.ok).toBe(false);
});

test('the largest size is read and written', () => {
  const text = formatCheckpoint({ origin: 'o', size: 2 ** 53 - 1, root: ROOT });
  expect(text.split('\n')[1]).toBe('9007199254740991');
  expect(parseCheckpoint(text)).toMatchObject({ value: { size: 2 ** 53 - 1 } });
});

test('a checkpoint that no one could read is the caller’s mistake', () => {
  const good = { origin: 'o', size: 1, root: ROOT };
  for (const change of [
    { origin: '' },
    { origin: 'a\nb' },
    { origin: '\ud800' },
    { size: -1 },
    { size: 0.5 },
    { size: 2 ** 53 },
    { root: new Uint8Array(31) },
  ])
    expect(() => formatCheckpoint({ ...good, ...change })).toThrow(TypeError);
});
