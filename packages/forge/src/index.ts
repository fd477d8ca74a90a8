export { type AgentLinesOptions, reviewAgentLines } from './agent-lines/agent-lines.ts';
export type { CommentReport } from './agent-lines/comment-report.ts';
export { placeOf } from './agent-lines/comment-survey.ts';
export type { CommitSignatures } from './agent-lines/commit-evidence.ts';
export type { GitOptions } from './git/git.ts';
export { hasPathAt } from './git/object.ts';
export { resolveRange } from './range/range.ts';
export { openRepository, type Repository } from './repository/repository.ts';
export { withWrittenFiles } from './written-file/run-files.ts';
