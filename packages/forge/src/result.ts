export { commentsResult } from './agent-lines/comment-result.ts';
