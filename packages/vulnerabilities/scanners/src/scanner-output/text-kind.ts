const JSON_OUTPUT = "the scanner's JSON output";

type TextKind = { readonly words: string; readonly expected: string };

/** Names with one separator between them, and behind them a line that has it as well. */
const CSV = /^[^\n,;\t:[]{1,100}([,;\t])[^\n,;\t:[]{0,100}(?:\1[^\n,;\t:[]{0,100})+\n(?:[^\n]*?\1){2}/;

const KINDS: ReadonlyArray<readonly [looks: RegExp, words: string, expected?: string]> = [
  [/^<(?:!doctype html|html)/i, ': it is an HTML page'],
  [
    /^<[\s\S]*cyclonedx\.org\/schema\/bom/,
    ': it is CycloneDX as XML',
    'CycloneDX as JSON, which cyclonedx-cli converts it to',
  ],
  [/^<(?:\?xml|[a-z])/i, ': it is XML'],
  [CSV, ': it looks like a table with separators (CSV)'],
  [/^%YAML|^---\s*[\r\n]|^[A-Za-z][\w-]*:(?:[ \t]|\r?$)/m, ': it looks like YAML or a list of words'],
  [/^[╔┌│├+|]/, ': it is a table for people'],
];

/** What a text that is no JSON looks like, to be put behind `The file is no JSON document`, and what would be read. */
export function kindOfText(text: string): TextKind {
  const start = text.slice(0, 2000).trimStart();
  if (/^[[{]/.test(start)) {
    return { words: ': what begins as one does not follow its rules', expected: JSON_OUTPUT };
  }
  const [, words = ': it is text', expected = JSON_OUTPUT] = KINDS.find(([looks]) => looks.test(start)) ?? [];
  return { words, expected };
}

/** Lines that begin as a document does; those of a log may, too. */
const MOST_TRIED = 20;

/** Whether a JSON document stands behind lines of other text. */
export function hasTextBefore(text: string): boolean {
  let tried = 0;
  for (const { index } of text.matchAll(/^[[{]/gm)) {
    if (tried++ === MOST_TRIED) return false;
    try {
      JSON.parse(text.slice(index));
      return true;
    } catch {
      // A line of the log.
    }
  }
  return false;
}
