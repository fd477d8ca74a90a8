import { formatAttributionComment } from './attribution-comment.ts';
import { blindSpotOf, meaningOfComment } from './blind-spot.ts';
import { type CommentSyntax, commentSyntaxOf } from './comment-syntax.ts';
import { type Insertion, insertComments, lineOfInsertion, type SourceText, writtenComment } from './placement.ts';
import type { ProgramReader, ProgramReading } from './program-reading.ts';
import type { Unfixed } from './unfixed.ts';

/** Insertions that fail together are tried one by one: so many of them at most, and so many characters in all. */
const MOST_TRIALS = { insertions: 32, characters: 16 * 2 ** 20 };

/**
 * Says of each comment why it may not be written. One may be where the parser proves that it is a comment and nothing
 * else: the file is read before and after, both times without an error, and apart from the comment both trees are equal.
 * @param reader of the syntax's parser; undefined where there is none.
 * @returns an entry for each insertion that is refused; the others may be written, all at once
 */
export function refuseInsertions(
  source: SourceText,
  insertions: readonly Insertion[],
  syntax: CommentSyntax,
  reader: ProgramReader | undefined,
): ReadonlyMap<Insertion, Unfixed> {
  const refuse = (unfixed: Unfixed, which = insertions) => new Map(which.map((one) => [one, unfixed] as const));
  const { parser } = syntax;
  if (parser === undefined || reader === undefined) return refuse(NO_PARSER);
  const blindSpot = blindSpotOf(source, parser, isRunAsAnother(source, syntax));
  if (blindSpot !== undefined) return refuse({ code: 'comment.unparsed', reason: blindSpot });
  const before = reader(source.text);
  if (before === undefined) return refuse(UNPARSED);

  const refused = new Map<Insertion, Unfixed>();
  for (const one of insertions) {
    const reason = meaningOfComment(source, parser, lineOfInsertion(one), formatAttributionComment(one.comment));
    if (reason !== undefined) refused.set(one, { code: 'comment.changes_program', reason });
  }
  const candidates = insertions.filter((one) => !refused.has(one));
  if (candidates.length === 0 || isInert(source, before, candidates, reader)) return refused;
  // What is left out now is tried by the next run, which finds the others written.
  const trials = Math.min(MOST_TRIALS.insertions, Math.floor(MOST_TRIALS.characters / source.text.length));
  const inert = candidates.slice(0, trials).filter((one) => isInert(source, before, [one], reader));
  const areInert = inert.length > 0 && isInert(source, before, inert, reader);
  for (const one of candidates) if (!areInert || !inert.includes(one)) refused.set(one, CHANGES_PROGRAM);
  return refused;
}

const NO_PARSER: Unfixed = {
  code: 'comment.no_parser',
  reason: 'no parser of this language is here to prove that the place is in no text',
};
const UNPARSED: Unfixed = { code: 'comment.unparsed', reason: 'the parser cannot read the file as a whole' };
const CHANGES_PROGRAM: Unfixed = {
  code: 'comment.changes_program',
  reason: 'the parser reads another program once it is there',
};

/** A file may be named after one language and begin with the program of another, which reads it first. */
function isRunAsAnother({ lines }: SourceText, { lexis }: CommentSyntax): boolean {
  const program = commentSyntaxOf('', lines[0]?.replace(/^\ufeff/, ''));
  return program !== undefined && program.lexis !== lexis;
}

function isInert(
  source: SourceText,
  before: ProgramReading,
  insertions: readonly Insertion[],
  reader: ProgramReader,
): boolean {
  const after = reader(insertComments(source, insertions));
  if (after === undefined || after.shape !== before.shape) return false;
  if (before.comments === undefined || after.comments === undefined) return true;
  // A comment of its own, and no line in a longer one: that could be the documentation of something.
  const expected = before.comments.map((one) => one.trim());
  for (const one of insertions) {
    if (!('replaces' in one)) continue;
    const old = (source.lines[one.replaces - 1] ?? '').replace(/^\ufeff/, '').trim();
    const at = expected.indexOf(old);
    if (at < 0) return false;
    expected.splice(at, 1);
  }
  expected.push(...insertions.map(writtenComment));
  const found = after.comments.map((one) => one.trim());
  return expected.toSorted().join('\n') === found.toSorted().join('\n');
}
