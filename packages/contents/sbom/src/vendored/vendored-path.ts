import type { ParseResult } from '@colophon/json';
import { refused } from './vendored-issue.ts';

const LONGEST_PATH = 4096;

/**
 * A path inside a repository in the one form in which it is referred to: `src/pad.js` for `./src//lib/../pad.js`.
 * @returns the path, or an issue `vendored.path_invalid` for one that leaves the repository or names all of it
 * @see contract §2.5: bom-ref is `vendored:<path>`
 */
export function parseVendoredPath(path: string): ParseResult<string> {
  const expected = 'a file or folder inside the repository, with / between its parts';
  const refuse = (message: string) => refused('vendored.path_invalid', message, expected);
  if (path.length > LONGEST_PATH) return refuse('the path is too long');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it refuses
  if (/[\u0000-\u001f\u007f\\]/.test(path)) return refuse('the path holds a backslash or a control character');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return refuse('the path is absolute');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return refuse('the path leaves the repository');
  }
  return parts.length === 0 ? refuse('the path names the whole repository') : { ok: true, value: parts.join('/') };
}
