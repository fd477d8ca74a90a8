import { endOfText } from './repeated-members.ts';

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** What stands in JSON between texts, lists and objects: white space, and the characters of numbers and names. */
const SPACE = new Set(' \t\n\r');
const BETWEEN = new Set(' \t\n\r:,+-.0123456789Eaeflnrstu');

/**
 * Whether a text is only the beginning of a JSON list or object, so that no reader has a document yet. Not where
 * that is in doubt: where something stands in it that JSON does not have, or behind a value.
 */
export function isPartOfDocument(text: string): boolean {
  const open: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const closing = CLOSING[character];
    if (closing !== undefined) open.push(closing);
    else if (open.length === 0) {
      if (!SPACE.has(character)) return false;
    } else if (character === '"') at = endOfText(text, at);
    else if (character === open.at(-1)) {
      open.pop();
      if (open.length === 0) return false;
    } else if (!BETWEEN.has(character)) return false;
  }
  return true;
}
