import { describe, expect, test } from 'vitest';
import { commentSyntaxOf } from './comment-syntax.ts';
import { refuseInsertions } from './inert-insertion.ts';
import { type Insertion, sourceText } from './placement.ts';
import type { ProgramReader } from './program-reading.ts';

const PYTHON = commentSyntaxOf('a.py')!;
const HASH = PYTHON.marks[0]!;
const comment = { agent: 'a' };
const above = (line: number): Insertion => ({ comment, above: { line, marks: HASH, indentation: '' } });
const instead = (line: number): Insertion => ({ comment, replaces: line, marks: HASH });

/** Lines are the program; those with `#` are comments, those between lines `"` are none, and `!` is an error. */
const lines: ProgramReader = (text) => {
  const shape: string[] = [];
  const comments: string[] = [];
  let isText = false;
  for (const line of text.split('\n')) {
    if (line === '!') return undefined;
    if (line === '"') isText = !isText;
    if (!isText && line.startsWith('#')) comments.push(line);
    else shape.push(line);
  }
  return { shape: shape.join('\n'), comments };
};

const codesOf = (text: string, insertions: readonly Insertion[], reader: ProgramReader | undefined = lines) => {
  const refused = refuseInsertions(sourceText(text), insertions, PYTHON, reader);
  return insertions.map((one) => refused.get(one)?.code);
};

describe('a comment is written only where it is proved to be nothing else', () => {
  test('above a line of code, or in the place of a comment', () => {
    expect(codesOf('a\n# b\nc\n', [above(1), instead(2), above(3)])).toEqual([undefined, undefined, undefined]);
  });

  test('and not without a parser, or where the file has an error', () => {
    const refused = refuseInsertions(sourceText('a\n'), [above(1)], PYTHON, undefined);
    expect([...refused.values()]).toMatchObject([{ code: 'comment.no_parser' }]);
    const shell = refuseInsertions(sourceText('a\n'), [above(1)], commentSyntaxOf('a.sh')!, lines);
    expect([...shell.values()]).toMatchObject([{ code: 'comment.no_parser' }]);
    expect(codesOf('a\n!\n', [above(1)])).toEqual(['comment.unparsed']);
    expect(codesOf('#!/bin/sh\na\n', [above(2)])).toEqual(['comment.unparsed']);
  });

  test('and not in a text, while the others of the file are', () => {
    expect(codesOf('a\n"\nb\n"\nc\n', [above(1), above(3), above(5)])).toEqual([
      undefined,
      'comment.changes_program',
      undefined,
    ]);
    expect(codesOf('"\n# b\n"\n', [instead(2)])).toEqual(['comment.changes_program']);
  });

  test('and not where comments are proved one by one and not together', () => {
    const atMostOne: ProgramReader = (text) =>
      (text.match(/colophon/g)?.length ?? 0) > 1 ? { shape: 'other' } : { shape: 'same' };
    expect(codesOf('a\nb\n', [above(1)], atMostOne)).toEqual([undefined]);
    expect(codesOf('a\nb\n', [above(1), above(2)], atMostOne)).toEqual(
      Array.from({ length: 2 }, () => 'comment.changes_program'),
    );
  });

  test('and not where it becomes a part of a longer comment', () => {
    const joined: ProgramReader = (text) => ({ shape: '', comments: [text] });
    expect(codesOf('# a\n# b\n', [above(2)], joined)).toEqual(['comment.changes_program']);
  });

  test('and not where the old one is no comment of its own', () => {
    const none: ProgramReader = () => ({ shape: '', comments: [] });
    expect(codesOf('# a\n', [instead(1)], none)).toEqual(['comment.changes_program']);
  });
});
