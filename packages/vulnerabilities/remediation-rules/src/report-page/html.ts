/** Markup. Only `html` makes it, so that no text from outside becomes any. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = string | number | Html | readonly Html[] | undefined;

/** A template whose values are text: whatever is in them is shown as it is written, and never is markup. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  let markup = strings[0]!;
  for (let at = 0; at < values.length; at += 1) markup += markupOf(values[at]) + strings[at + 1]!;
  return new Html(markup);
}

function markupOf(value: Part): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(({ markup }) => markup).join('');
  return escapeText(String(value));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
// C0, C1, line separators, halves of surrogate pairs, and the characters that reorder or hide text.
const SPECIAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it shows
  /[&<>"']|[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}\ud800-\udfff]/gu;

/** Text as markup, in elements and in quoted attributes; what cannot be seen is shown as `\u{..}`. */
export function escapeText(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
