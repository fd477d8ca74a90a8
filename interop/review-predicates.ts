import { FULL_REQUEST } from './colophon-up.ts';

export const REVIEW_TYPE = 'https://colophon.example/predicates/agent-review/v1';

/** The commit that agents make images from here. */
export const COMMIT = FULL_REQUEST.commit_sha;
export const OTHER_COMMIT = 'b'.repeat(40);

/** What a good review says, at least. */
export const GOOD_REVIEW = {
  human_reviewer: 'alice@example.com',
  review_timestamp: '2026-11-20T10:11:12Z',
  commit_sha: COMMIT,
};
