import {
  type AttributionComment,
  type CommentMarks,
  type FoundComment,
  formatAttributionComment,
  parseAttributionComment,
} from './attribution-comment.ts';
import {
  type AttributedLine,
  type CodeBlock,
  type CommentVerdict,
  commentOf,
  findCodeBlocks,
  judgeComment,
} from './code-block.ts';
import { type CommentSyntax, EMBEDDED_MARKS } from './comment-syntax.ts';
import type { EnclosingText } from './enclosing-text.ts';
import {
  headingLength,
  type Insertion,
  type NoPlacement,
  type Placement,
  placeComment,
  type SourceText,
} from './placement.ts';

/** Blocks longer than this need a comment (contract §8). */
export const LONGEST_BLOCK_WITHOUT_COMMENT = 8;

/** Every code of a finding about attribution comments. */
export const ATTRIBUTION_COMMENT_CODES = [
  'comment.missing',
  'comment.wrong',
  'comment.malformed',
  'comment.incomplete',
] as const;
export type AttributionCommentCode = (typeof ATTRIBUTION_COMMENT_CODES)[number];

/** A block whose comment is missing, or is not what it should be. */
export type CommentFinding = {
  readonly code: AttributionCommentCode;
  readonly block: CodeBlock;
  readonly message: string;
  /** What the comment should say. */
  readonly comment: AttributionComment;
  /** What would put it right, or why nothing can. */
  readonly remedy: Insertion | NoPlacement;
};

/** Findings of one file. */
export type CommentReview = { readonly blocks: number; readonly findings: readonly CommentFinding[] };

/** A comment above a block, and what it is worth there. */
type Candidate = { readonly line: number; readonly found: FoundComment; readonly verdict: CommentVerdict };

type Judged = {
  readonly block: CodeBlock;
  readonly placement: Placement | NoPlacement;
  readonly candidates: readonly Candidate[];
};

/**
 * Reviews one file: every block by an agent that is longer than allowed must have its comment directly above, where
 * `placeComment` would put it, or as its first line.
 * @param lines of the file, each with who wrote it, in the order of `source.lines`.
 * @see contract §8
 */
export function reviewComments(
  source: SourceText,
  lines: readonly AttributedLine[],
  syntax: CommentSyntax,
  enclosing: EnclosingText,
  longest = LONGEST_BLOCK_WITHOUT_COMMENT,
): CommentReview {
  const heading = headingLength(source, syntax, enclosing);
  const judgeAll = (isStray?: (line: number) => boolean) =>
    findCodeBlocks(lines, readMarks(syntax), heading, isStray).map((block) => judge(source, block, syntax, enclosing));
  const claimed = new Set([...linesWith('right', judgeAll()), ...linesWith('incomplete', judgeAll())]);
  const judged = judgeAll((line) => !claimed.has(line));
  return { blocks: judged.length, findings: findingsOf(judged, longest) };
}

function linesWith(code: CommentVerdict['code'], judged: readonly Judged[]): number[] {
  return judged.flatMap(({ candidates }) =>
    candidates.filter(({ verdict }) => verdict.code === code).map(({ line }) => line),
  );
}

/**
 * Several blocks may have their comments above one place. One that is right for a block is not wrong for its neighbour,
 * and one that is put right for a block is no longer there for the next.
 */
function findingsOf(judged: readonly Judged[], longest: number): CommentFinding[] {
  const kept = new Set(linesWith('right', judged));
  const improved = new Set(linesWith('incomplete', judged));
  return judged.flatMap((one) => {
    const free = one.candidates.filter(({ line }) => !kept.has(line));
    if (one.candidates.some(({ verdict }) => verdict.code === 'right')) {
      const wrong = free.flatMap(({ line, verdict }) =>
        verdict.code === 'wrong' && !improved.has(line) ? { line, reason: verdict.reason } : [],
      );
      for (const { line } of wrong) kept.add(line);
      return wrong.map(({ line, reason }) => wrongBesideRight(one.block, line, reason));
    }
    const candidate =
      free.find(({ verdict }) => verdict.code === 'incomplete') ?? free.find(({ line }) => !improved.has(line));
    const finding = findingOf(one, candidate, longest);
    if (finding === undefined || (finding.code === 'comment.missing' && isCovered(one, judged, longest))) return [];
    if ('replaces' in finding.remedy) kept.add(finding.remedy.replaces);
    return finding;
  });
}

/** Whether the text that a block is in begins inside a longer block by the same agent, whose comment stands above both. */
function isCovered({ block, placement: { line } }: Judged, judged: readonly Judged[], longest: number): boolean {
  return judged.some(({ block: other }) => {
    const isAround = line !== undefined && other !== block && other.start < line && line <= other.end;
    return isAround && other.length > longest && other.agent.toLowerCase() === block.agent.toLowerCase();
  });
}

function judge(source: SourceText, block: CodeBlock, syntax: CommentSyntax, enclosing: EnclosingText): Judged {
  const placement = placeComment(source, block, syntax, enclosing);
  const lines = new Set(block.headingComments);
  for (const below of [block.start, placement.line]) {
    if (below !== undefined) for (const line of commentsAbove(source, below, syntax)) lines.add(line);
  }
  const candidates = [...lines].flatMap((line) => {
    const found = parseAttributionComment(source.lines[line - 1] ?? '', readMarks(syntax));
    return found === undefined ? [] : [{ line, found, verdict: judgeComment(found, block) }];
  });
  return { block, placement, candidates };
}

/** Numbers of the attribution comments directly above a line; blank lines between do not count. */
function commentsAbove({ lines }: SourceText, below: number, syntax: CommentSyntax): number[] {
  const found: number[] = [];
  for (let index = below - 2; index >= 0; index--) {
    const text = lines[index] as string;
    if (text.trim() === '') continue;
    if (parseAttributionComment(text, readMarks(syntax)) === undefined) break;
    found.push(index + 1);
  }
  return found;
}

function findingOf(
  { block, placement }: Judged,
  candidate: Candidate | undefined,
  longest: number,
): CommentFinding | undefined {
  const wanted = commentOf(block);
  const place = placeOf(block);
  if (candidate !== undefined && candidate.verdict.code !== 'right') {
    const { line, found, verdict } = candidate;
    const comment = found.ok && verdict.code === 'incomplete' ? completed(found.comment, wanted) : wanted;
    return {
      code: `comment.${verdict.code}`,
      block,
      comment,
      message: `${place}; the comment in line ${line}: ${verdict.reason}`,
      remedy: { comment, replaces: line, marks: found.marks },
    };
  }
  if (block.length <= longest) return undefined;
  return {
    code: 'comment.missing',
    block,
    comment: wanted,
    message: `${place}, and no comment above them says so: ${formatAttributionComment(wanted)}`,
    remedy: placement.line === undefined ? placement : { comment: wanted, above: placement },
  };
}

/** A right comment does not make true what stands beside it. Which of the two goes is for a person to say. */
function wrongBesideRight(block: CodeBlock, line: number, reason: string): CommentFinding {
  return {
    code: 'comment.wrong',
    block,
    comment: commentOf(block),
    message: `${placeOf(block)}; the comment in line ${line}: ${reason}`,
    remedy: { code: 'comment.right_beside', reason: `another comment says it right: take line ${line} out` },
  };
}

function placeOf({ start, end, agent }: CodeBlock): string {
  return `lines ${start} to ${end} are by agent ${agent}`;
}

/** What a comment says and nobody contradicts stays; a review is only what evidence confirms of the whole block. */
function completed({ reviewedBy: _, ...said }: AttributionComment, wanted: AttributionComment): AttributionComment {
  return { ...said, ...wanted };
}

/** In a page, comments of scripts and styles count too. */
function readMarks({ marks, lexis }: CommentSyntax): readonly CommentMarks[] {
  return lexis.isMarkup ? [...marks, ...EMBEDDED_MARKS] : marks;
}
