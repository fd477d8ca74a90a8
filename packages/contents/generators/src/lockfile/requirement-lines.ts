/** A line of a requirements file without its comment, and the number of the first line that it stands on. */
export type RequirementLine = { readonly text: string; readonly number: number };

/** Where Python ends a line: more places than an editor shows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Python's str.splitlines ends lines there
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const COMMENT = /(?:^|\s)#.*$/;

/**
 * The lines of a requirements file as pip reads them: a backslash at the end joins the next line without a blank, a
 * comment ends a line even where a backslash ends the comment. Lines that say nothing are left out.
 * @see https://pip.pypa.io/en/stable/reference/requirements-file-format/
 */
export function* requirementLines(text: string): Generator<RequirementLine> {
  let open = '';
  let first = 0;
  const whole = (line: string): RequirementLine[] => {
    const code = line.replace(COMMENT, '').trim();
    return code === '' ? [] : [{ text: code, number: first }];
  };
  for (const [index, line] of text.split(LINE_END).entries()) {
    if (open === '') first = index + 1;
    const isComment = /^\s*#/.test(line);
    if (line.endsWith('\\') && !isComment) {
      open += withoutEnd(line, '\\');
      continue;
    }
    // A comment after a joined line begins with a blank, so that it stays one.
    yield* whole(open + (isComment ? ` ${line}` : line));
    open = '';
  }
  if (open !== '') yield* whole(open);
}

/** The words of a line as a shell would take them, as far as pip's options need it. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [part, double, single, blank] of text.matchAll(/"((?:[^"\\]|\\.)*)"?|'([^']*)'?|(\s+)|[^\s"']+/g)) {
    if (blank === undefined) word = (word ?? '') + (double?.replace(/\\(.)/g, '$1') ?? single ?? part);
    else if (word !== undefined) words.push(word);
    if (blank !== undefined) word = undefined;
  }
  return word === undefined ? words : [...words, word];
}

/** Without the signs that it ends in; a pattern would look at each of them as often as there are. */
export function withoutEnd(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
