/** Characters; the most that a repository's name or address may have. */
export const LONGEST_REPOSITORY = 256;

/** 1 to 128 characters, and neither `.` nor `..`; without lookahead, which not every reader of JSON Schema has. */
const SEGMENT =
  '(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}|\\.[A-Za-z0-9_-][A-Za-z0-9._-]{0,126}|\\.\\.[A-Za-z0-9._-]{1,126})';

/** A pattern for JSON Schema, beside a maxLength; what parseRepository accepts. */
export const REPOSITORY_PATTERN = `^${SEGMENT}/${SEGMENT}$`;

/** A pattern for JSON Schema, beside a maxLength; parseRepositoryUri also reads it as a URL. */
export const REPOSITORY_URI_PATTERN = '^https://[^\\s@/\\\\?#]+(?:/[^\\s\\\\?#]*)?$';

const REPOSITORY = new RegExp(REPOSITORY_PATTERN);
const REPOSITORY_URI = new RegExp(REPOSITORY_URI_PATTERN);
const PRINTABLE_ASCII = /^[!-~]+$/;

/**
 * Reads a repository in the form `<org>/<repo>` (contract §2.1 `repo`): exactly two segments of ASCII letters, digits,
 * `.`, `_` and `-`. Where a forge nests groups deeper, the full address is a matter of `repo_uri`.
 *
 * @returns the name as it was written, or undefined.
 */
export function parseRepository(text: string): string | undefined {
  return text.length <= LONGEST_REPOSITORY && REPOSITORY.test(text) ? text : undefined;
}

/**
 * Reads the full address of a repository, on any forge: an absolute https URL in ASCII without user, password, query
 * or fragment.
 *
 * @returns the URL in the one spelling that RFC 3986 and the URL standard normalise to, or undefined.
 */
export function parseRepositoryUri(text: string): string | undefined {
  if (text.length > LONGEST_REPOSITORY || !PRINTABLE_ASCII.test(text) || !REPOSITORY_URI.test(text)) return undefined;
  try {
    const { href } = new URL(text);
    return href.length <= LONGEST_REPOSITORY ? href : undefined;
  } catch {
    return undefined;
  }
}
