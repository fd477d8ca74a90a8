/** Characters (RFC 5321 §4.5.3.1, less the angle brackets). */
export const LONGEST_EMAIL_ADDRESS = 254;

/** Characters before the `@` (RFC 5321 §4.5.3.1.1). */
const LONGEST_LOCAL_PART = 64;

const LOCAL_PART = "[A-Za-z0-9!$&'*+=_~-]+(?:\\.[A-Za-z0-9!$&'*+=_~-]+)*";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

/** A pattern for JSON Schema, beside a maxLength; isEmailAddress also counts what stands before the `@`. */
export const EMAIL_ADDRESS_PATTERN = `^${LOCAL_PART}@${LABEL}(?:\\.${LABEL})*$`;

const EMAIL_ADDRESS = new RegExp(EMAIL_ADDRESS_PATTERN);

/**
 * True for an address that people really use: ASCII, no quotes, comments, spaces or control characters, at most 254
 * characters. Of the characters that RFC 5322 allows before the `@` only those are taken that stand for themselves
 * in a URI, because `reviewer:<address>` becomes a certificate's URI. One label after the `@` is enough
 * (`me@localhost`). Addresses are compared as they are written; nothing is folded.
 *
 * @see contract §2.1 `human_reviewer`; RFC 5322 §3.4.1; RFC 3986 §2
 */
export function isEmailAddress(text: string): boolean {
  return text.length <= LONGEST_EMAIL_ADDRESS && text.indexOf('@') <= LONGEST_LOCAL_PART && EMAIL_ADDRESS.test(text);
}
