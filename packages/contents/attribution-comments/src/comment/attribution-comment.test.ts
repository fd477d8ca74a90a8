import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AttributionComment,
  commentAgent,
  commentReviewer,
  commentWord,
  formatAttributionComment,
  parseAttributionComment,
} from './attribution-comment.ts';

const HASH = [{ open: '#', close: '' }];
const ALL = [
  ...HASH,
  { open: '//', close: '' },
  { open: '/*', close: '*/' },
  { open: '<!--', close: '-->' },
  { open: '(*', close: '*)' },
  { open: 'REM ', close: '' },
];
const PROMPT = `sha256:${'5a'.repeat(32)}`;
const FULL: AttributionComment = {
  agent: 'code-writer',
  version: '2.4.1',
  model: 'anthropic/large-model:2026-05-14',
  prompt: PROMPT,
  reviewedBy: 'ann@example.com',
};

test('the comment has one form', () => {
  expect(formatAttributionComment(FULL)).toBe(
    `colophon: agent=code-writer@2.4.1 model=anthropic/large-model:2026-05-14 prompt=${PROMPT} reviewed-by=ann@example.com`,
  );
  expect(formatAttributionComment({ agent: 'x' })).toBe('colophon: agent=x');
});

describe('a comment on a line', () => {
  test.each(ALL)('is read between $open and $close', (marks) => {
    const line = `\t  ${marks.open} ${formatAttributionComment(FULL)} ${marks.close}\r\n`;
    expect(parseAttributionComment(line, ALL)).toEqual({ ok: true, comment: FULL, marks });
    expect(parseAttributionComment(line, [{ open: ';', close: '' }])).toBeUndefined();
  });

  test.each([
    ['x = 1 # colophon: agent=x', 'code stands before it'],
    ["# see 'colophon: agent=x'", 'other words stand before it'],
    ['# colophon', 'it lacks the colon'],
    ['"# colophon: agent=x"', 'it is a string'],
  ])('%s is none: %s', (line) => {
    expect(parseAttributionComment(line, HASH)).toBeUndefined();
  });

  test.each([
    ['colophon:'],
    ['colophon: model=x'],
    ['colophon: agent='],
    ['colophon: agent=unknown'],
    ['colophon: agent=-x'],
    ['colophon: agent=x@'],
    ['colophon: agent=x agent=y'],
    ['colophon: agent=x modle=y'],
    ['colophon: agent=x by hand'],
    ['colophon: agent=x =y'],
    ['colophon: agent=x prompt=sha256:5a'],
    ['colophon: agent=x reviewed-by=ann'],
    ['colophon: agent=x model=a*/b'],
  ])('%s is malformed', (words) => {
    expect(parseAttributionComment(`# ${words}`, HASH)).toMatchObject({ ok: false });
  });
});

const word = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:/@+~-]{0,20}$/).filter((text) => commentWord(text) === text);
const agent = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/).filter((text) => commentAgent(text) === text);

test('whatever is written is read back', () => {
  const comment = fc.record(
    { agent, version: word, model: word, prompt: fc.constant(PROMPT), reviewedBy: fc.constant('ann@example.com') },
    { requiredKeys: ['agent'] },
  );
  fc.assert(
    fc.property(comment, fc.constantFrom(...ALL), (said, marks) => {
      const found = parseAttributionComment(`${marks.open} ${formatAttributionComment(said)} ${marks.close}`, [marks]);
      expect(found).toEqual({ ok: true, comment: said, marks });
    }),
  );
});

test('nothing that ends a comment or a line in any language can be said', () => {
  const hostile = [
    '*/',
    '-->',
    '*)',
    '\n',
    '\r',
    '"',
    "'",
    '`',
    '\\',
    '?>',
    '%>',
    ']]',
    '--',
    ' ',
    '\u2028',
    '}',
    '#>',
  ];
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...hostile), fc.string(), (before, end, after) => {
      const text = `a${before}${end}${after}`;
      expect([commentWord(text), commentAgent(text), commentReviewer(`${text}@example.com`)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }),
  );
});

test('no line makes it throw', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseAttributionComment(`# colophon: ${text}`, HASH)));
  expect(parseAttributionComment(`# colophon: agent=x ${' '.repeat(1_000_000)}`, HASH)).toBeUndefined();
});
