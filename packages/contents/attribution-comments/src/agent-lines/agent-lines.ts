import type { CommitRange, Repository } from '@colophon/forge';
import { type CommentReport, commentReport } from './comment-report.ts';
import { type SurveyOptions, surveyComments } from './comment-survey.ts';
import { CommitEvidence, type EvidenceOptions } from './commit-evidence.ts';

export type AgentLinesOptions = EvidenceOptions & SurveyOptions;

/**
 * Finds the blocks that agents wrote in a range and that lack their attribution comment (contract §8), by what commits,
 * notes and Agent Trace records say; with `write` the comments are written into the working tree, where a parser proves
 * that the program stays the same.
 * @throws ForgeError; whatever the ports throw without a code
 * @see docs/attribution-comments.md
 */
export async function reviewAgentLines(
  repository: Repository,
  range: CommitRange,
  options: AgentLinesOptions,
): Promise<CommentReport> {
  const evidence = await CommitEvidence.open(repository, range.to, options);
  const survey = await surveyComments(repository, range, evidence, options);
  return commentReport(survey, evidence.problems, {
    range: range.name,
    commit_count: range.commits.length,
    agent_commit_count: range.commits.filter((sha) => evidence.hasAgent(sha)).length,
    longer_than: options.longest,
  });
}
