import type { AgentEvidence } from './agent-evidence.ts';
import { UNNAMED_AGENT } from './agent-evidence.ts';
import {
  type AttributionComment,
  type CommentMarks,
  type FoundComment,
  parseAttributionComment,
} from './attribution-comment.ts';

/** A line of a file, and which agent wrote it, if any. */
export type AttributedLine = {
  readonly text: string;
  readonly evidence: AgentEvidence | undefined;
  /** It was written by the commits that are looked at. */
  readonly isNew: boolean;
};

/** Consecutive lines by one agent. */
export type CodeBlock = {
  readonly agent: string;
  /** From 1, both included; neither is blank. */
  readonly start: number;
  readonly end: number;
  /** Lines from the first to the last, blank ones between them too, attribution comments not. */
  readonly length: number;
  /** Every different evidence, in the order of the lines. */
  readonly evidence: readonly AgentEvidence[];
  /** Attribution comments inside a file's heading, which belong to the block around them. */
  readonly headingComments: readonly number[];
};

/**
 * The blocks of a file. Lines of another agent or of people end a block; blank lines do not, whoever wrote them; an
 * attribution comment begins a new one, except in a file's heading, and except one about another agent: it belongs to a
 * block that could not have its comment any nearer.
 * @param heading how many lines the file begins with that stand above any code: `#!`, a licence.
 * @param isStray says of a comment about another agent, by its line from 1, that it belongs to no block.
 * @returns all blocks with a line that is new, of whatever length
 */
export function findCodeBlocks(
  lines: readonly AttributedLine[],
  marks: readonly CommentMarks[],
  heading = 0,
  isStray: (line: number) => boolean = () => false,
): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open:
    | { agent: string; start: number; end: number; evidence: AgentEvidence[]; comments: number[]; isNew: boolean }
    | undefined;
  const close = () => {
    if (open?.isNew) {
      const { agent, start, end, evidence, comments } = open;
      const length = end - start + 1 - comments.filter((line) => line < end).length;
      const headingComments = comments.filter((line) => line <= heading);
      blocks.push({ agent, start, end, length, evidence, headingComments });
    }
    open = undefined;
  };
  for (const [i, { text, evidence, isNew }] of lines.entries()) {
    if (text.trim() === '') continue;
    const found = parseAttributionComment(text, marks);
    if (found !== undefined) {
      const isOfAnother = open !== undefined && found.ok && !isSameAgent(found.comment.agent, open.agent);
      if (i >= heading && (!isOfAnother || isStray(i + 1))) close();
      else open?.comments.push(i + 1);
      continue;
    }
    if (evidence === undefined || (open !== undefined && !isSameAgent(open.agent, evidence.agent))) close();
    if (evidence === undefined) continue;
    open ??= { agent: evidence.agent, start: i + 1, end: i + 1, evidence: [], comments: [], isNew: false };
    open.end = i + 1;
    open.isNew ||= isNew;
    if (!open.evidence.some((known) => isSameEvidence(known, evidence))) open.evidence.push(evidence);
  }
  close();
  return blocks;
}

/** What the comment above a block must say: what all of its evidence agrees on, in the evidence's own words. */
export function commentOf({ agent, evidence }: CodeBlock): AttributionComment {
  const version = agreed(evidence.map((one) => one.version));
  const model = agreed(evidence.map((one) => one.model));
  const prompt = agreed(evidence.map((one) => one.prompt));
  const reviewedBy = agreed(evidence.map((one) => one.reviewedBy));
  return {
    agent,
    ...(version === undefined ? {} : { version }),
    ...(model === undefined ? {} : { model }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(reviewedBy === undefined ? {} : { reviewedBy }),
  };
}

/** What a comment above a block lacks or contradicts. */
export type CommentVerdict =
  | { readonly code: 'right' }
  | { readonly code: 'malformed' | 'wrong' | 'incomplete'; readonly reason: string };

/**
 * Holds a comment against what is known of a block. Parts that nobody knows may say anything, except of a review: the
 * comment stands in a file that an agent may write, so a review counts only where evidence confirms it.
 */
export function judgeComment(found: FoundComment, block: CodeBlock): CommentVerdict {
  if (!found.ok) return { code: 'malformed', reason: found.reason };
  const { comment } = found;
  if (block.agent !== UNNAMED_AGENT && !isSameAgent(comment.agent, block.agent)) {
    return { code: 'wrong', reason: `it names agent ${comment.agent}, and ${block.agent} wrote the block` };
  }
  const missing: string[] = [];
  for (const part of ['version', 'model', 'prompt', 'reviewedBy'] as const) {
    const known = new Set(block.evidence.flatMap((one) => one[part] ?? []));
    const said = comment[part];
    if (known.size === 0) {
      if (part !== 'reviewedBy' || said === undefined) continue;
      return { code: 'wrong', reason: `it says ${NAMES[part]} ${said}, and nothing confirms a review` };
    }
    if (said === undefined) {
      // Where the block has several, no single one would be right.
      if (known.size === 1 && block.evidence.every((one) => one[part] !== undefined)) missing.push(NAMES[part]);
    } else if (!known.has(said)) {
      return { code: 'wrong', reason: `it says ${NAMES[part]} ${said}, and ${[...known].join(' and ')} is known` };
    }
  }
  return missing.length === 0
    ? { code: 'right' }
    : { code: 'incomplete', reason: `${missing.join(' and ')} is known and missing` };
}

const NAMES = { version: "the agent's version", model: 'model', prompt: 'prompt', reviewedBy: 'reviewed-by' } as const;

function agreed(values: ReadonlyArray<string | undefined>): string | undefined {
  const [first, ...others] = values;
  return others.every((value) => value === first) ? first : undefined;
}

function isSameAgent(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function isSameEvidence(a: AgentEvidence, b: AgentEvidence): boolean {
  const isSame = (['source', 'version', 'model', 'prompt', 'reviewedBy'] as const).every((part) => a[part] === b[part]);
  return isSame && JSON.stringify(a.basis) === JSON.stringify(b.basis);
}
