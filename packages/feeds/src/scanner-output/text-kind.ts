const KINDS: ReadonlyArray<readonly [looks: RegExp, words: string]> = [
  [/^<(?:!doctype html|html)/i, ': it is an HTML page'],
  [/^<(?:\?xml|[a-z])/i, ': it is XML'],
  [/^%YAML|^---\s*[\r\n]|^[A-Za-z][\w-]*:(?:[ \t]|\r?$)/m, ': it looks like YAML or a list of words'],
  [/^[╔┌│├+|]/, ': it is a table for people'],
];

/** What a text that is no JSON looks like, to be put behind `The file is no JSON document`. */
export function wordsForText(text: string): string {
  const start = text.slice(0, 2000).trimStart();
  if (/^[[{]/.test(start)) return ': what begins as one does not follow its rules';
  const kind = KINDS.find(([looks]) => looks.test(start));
  return kind?.[1] ?? ': it is text';
}
