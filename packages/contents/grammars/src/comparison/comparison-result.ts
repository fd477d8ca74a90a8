import { alsoHaving, count, having, listOf, oneOf, orNull, string } from '@colophon/records/result';
import { LANGUAGES, VERDICTS } from '@colophon/similarity';
import { REFERENCES } from './reference.ts';

const share = (description: string) => ({ type: 'number' as const, description, minimum: 0, maximum: 1 });
const ofBoth = <const S extends object>(description: string, schema: S) =>
  having(description, { a: schema, b: schema });

const lines = having('lines of a file, from 1', { from: count, to: count });
const region = having('a stretch of both files that is the same', {
  a: lines,
  b: lines,
  token_count: count,
});
const part = having('a part of a file', { lines, token_count: count });
const verdict = oneOf('what the score is evidence for', VERDICTS);

/** Where the other side was read. */
export const reference = oneOf(
  'where the other side was read: the registry of the caller, a place that the caller names, or one in the judged tree',
  REFERENCES,
);

/** How alike two files are, and where. */
export const fileComparison = having('how alike two files are, and where', {
  score: share('0 to 1; at first 0.8 and more is strong evidence, 0.5 and less noise'),
  verdict,
  language: oneOf('of both', LANGUAGES),
  best: orNull(
    having('the parts that the score rests on, functions mostly', {
      a: part,
      b: part,
      run: { ...count, description: 'what their longest common run is worth, in tokens: frequent ones do not count' },
      coverage: share('how much of the smaller part the common runs are worth'),
      region: { ...region, description: 'where the longest run is' },
    }),
  ),
  contained: ofBoth('how much of each file’s tokens stands in the other', share('of its tokens')),
  vocabulary: share('how much of their words is common'),
  token_count: ofBoth('how long each file is', count),
  unparsed: ofBoth('how much of each file could not be parsed', share('of its text')),
  regions: listOf('matched stretches in the order of A', region),
});

export const skippedFile = having('a file that was not compared', {
  file: string('its path'),
  reason: string('why'),
});

export const unread = having(
  'files of the judged paths that were not read, for whatever reason: no verdict is about them',
  {
    count,
    files: listOf('the first of them by path, at most a hundred', skippedFile),
  },
);

const matched = {
  file: string('its path'),
  match: string('the most alike file on the other side'),
  ...fileComparison.properties,
} as const;
const matchedFile = alsoHaving(having('a file and the one that it is most like', matched), {
  package: string('that the match is of, where there are several'),
});

/** What many files are most like. */
export const bestMatches = having('what many files are most like', {
  files: listOf('the most alike first', matchedFile),
  unmatched: listOf('files of a language that the other side has no file of', string('a path')),
  skipped: listOf('files that were not compared', skippedFile),
});
