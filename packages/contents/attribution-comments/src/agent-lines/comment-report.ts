import type { ResultOf } from '@colophon/records/result';
import { EVIDENCE_SOURCES } from '../comment/agent-evidence.ts';
import { formatAttributionComment } from '../comment/attribution-comment.ts';
import { basisOfComment, type CommentBasis } from '../comment/comment-basis.ts';
import { type Insertion, writtenComment } from '../comment/placement.ts';
import type { commentsResult } from './comment-result.ts';
import type { CommentSurvey, FileFinding } from './comment-survey.ts';
import type { EvidenceProblem } from './commit-evidence.ts';

/** What a review of a range found. */
export type CommentReport = ResultOf<typeof commentsResult>;
type FindingRecord = CommentReport['findings'][number];

/** What is known of the range beside what its files say. */
type RangeFacts = Pick<CommentReport, 'range' | 'commit_count' | 'agent_commit_count' | 'longer_than'>;

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
      severity: finding.code === 'comment.incomplete' ? 'warning' : 'error',
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
    ok: findings.every(({ severity, fixed }) => fixed || severity === 'warning'),
    ...facts,
    file_count: survey.files,
    block_count: survey.blocks,
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
