/** What a terminal may obey or hide instead of showing it; every line break but the newline is among it. */
const NOT_SHOWN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const CUT = '...';

/**
 * A text as it may be shown to a person: what is not printable is written `\u{…}`, and what is longer than `longest`
 * characters (code points) is cut, with `...` at its end.
 * @param kept - characters that stay as they are though they are not printable, e.g. a newline
 */
export function shownText(text: string, longest: number, kept = ''): string {
  // No more of a long text is read than can be shown.
  const printable = text
    .slice(0, 2 * longest + 1)
    .replace(NOT_SHOWN, (character) =>
      kept.includes(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`,
    );
  const characters = [...printable];
  if (characters.length <= longest) return printable;
  return `${characters.slice(0, longest - CUT.length).join('')}${CUT}`;
}
