import type { Basis } from '@colophon/records';
import {
  basisOfComment,
  type CommentBasis,
  EVIDENCE_SOURCES,
  formatAttributionComment,
  type Insertion,
  type Unfixed,
  writtenComment,
} from '@colophon/sbom';
import type { CommentSurvey, FileFinding, SkippedFile } from './comment-survey.ts';
import type { EvidenceProblem } from './commit-evidence.ts';

/** One finding. */
export type FindingRecord = {
  readonly code: string;
  readonly level: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  readonly agent: string;
  /** What says that an agent wrote it, the strongest first. */
  readonly sources: readonly string[];
  readonly commits: readonly string[];
  readonly message: string;
  /** What the comment should say. */
  readonly comment: string;
  /** What each part of it rests on. */
  readonly basis: { readonly [part: string]: Basis };
  /** The line that would put it right, and where: above a line, or in the place of one. */
  readonly edit?: { readonly above?: number; readonly replaces?: number; readonly text: string };
  readonly fixed: boolean;
  /** Why it is not written. */
  readonly not_fixable?: string;
  readonly not_fixable_code?: Unfixed['code'];
};

/** What a review of a range found. */
export type CommentReport = {
  /** Whether no error is left unfixed. */
  readonly ok: boolean;
  readonly range: string;
  readonly commits: number;
  readonly agent_commits: number;
  readonly files: number;
  readonly blocks: number;
  readonly longer_than: number;
  readonly findings: readonly FindingRecord[];
  readonly skipped: readonly SkippedFile[];
  readonly problems: readonly EvidenceProblem[];
};

/** What is known of the range beside what its files say. */
type RangeFacts = Pick<CommentReport, 'range' | 'commits' | 'agent_commits' | 'longer_than'>;

/** A survey as it is told to machines. */
export function commentReport(
  survey: CommentSurvey,
  problems: readonly EvidenceProblem[],
  facts: RangeFacts,
): CommentReport {
  const findings = survey.findings.map((finding: FileFinding): FindingRecord => {
    const { block, remedy, unfixed } = finding;
    const sources = EVIDENCE_SOURCES.filter((source) => block.evidence.some((one) => one.source === source));
    return {
      code: finding.code,
      // What is there and says nothing false asks for attention, and stops nobody.
      level: finding.code === 'comment.incomplete' ? 'warning' : 'error',
      file: finding.file,
      line: block.start,
      end_line: block.end,
      agent: block.agent,
      sources,
      commits: finding.commits,
      message: finding.message,
      comment: formatAttributionComment(finding.comment),
      basis: snakeCase(basisOfComment(block, finding.comment)),
      ...('reason' in remedy
        ? {}
        : { edit: { ...placeOfEdit(remedy), text: lineOfEdit(remedy, writtenComment(remedy)) } }),
      fixed: finding.isFixed,
      ...(unfixed && { not_fixable: unfixed.reason, not_fixable_code: unfixed.code }),
    };
  });
  return {
    ok: findings.every(({ level, fixed }) => fixed || level === 'warning'),
    ...facts,
    files: survey.files,
    blocks: survey.blocks,
    findings,
    skipped: survey.skipped,
    problems,
  };
}

function placeOfEdit(edit: Insertion): { above: number } | { replaces: number } {
  return 'above' in edit ? { above: edit.above.line } : { replaces: edit.replaces };
}

function lineOfEdit(edit: Insertion, comment: string): string {
  return 'above' in edit ? edit.above.indentation + comment : comment;
}

function snakeCase({ reviewedBy, ...others }: CommentBasis): FindingRecord['basis'] {
  return { ...others, ...(reviewedBy && { reviewed_by: reviewedBy }) };
}
