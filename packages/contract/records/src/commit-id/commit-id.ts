/** A pattern for JSON Schema; what parseCommitId accepts. */
export const COMMIT_ID_PATTERN = '^(?:[0-9a-f]{40}|[0-9a-f]{64})$';

const COMMIT_ID = new RegExp(COMMIT_ID_PATTERN);

/**
 * Reads a git commit id in full, as git writes it: 40 lower-case hex digits, or 64 where the repository uses SHA-256
 * (contract §2.1 `commit_sha`). Abbreviations are refused: they stop being unique.
 *
 * @returns the id, or undefined.
 */
export function parseCommitId(text: string): string | undefined {
  return COMMIT_ID.test(text) ? text : undefined;
}
