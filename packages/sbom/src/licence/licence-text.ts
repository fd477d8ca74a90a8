import type { Bom, Component, LicenseChoice } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';
import { licenceTerm } from './licence-term.ts';
import { spdxId } from './spdx-list.ts';

/** Which licences a text is and holds, by SPDX id. Licences with one text (`GPL-3.0-only`, `-or-later`) come together. */
export type IdentifiedText = {
  /** The whole text, but for title, copyright lines and an appendix. */
  readonly is?: readonly string[];
  /** Every licence whose whole text stands somewhere in it. */
  readonly holds: ReadonlyArray<readonly string[]>;
};

/** The texts of the SPDX list, ready to be recognised. */
export type LicenceTexts = {
  identify(text: string): IdentifiedText;
  /** SPDX's own text of a licence. */
  textOf(id: string): string | undefined;
};

type KnownText = { readonly ids: string[]; readonly words: readonly string[] };

/** So many words at the start of a licence tell the candidates. */
const KEY_WORDS = 6;
/** Shorter ones (`Fair`, a line of public domain) stand by chance in other texts. */
const LEAST_WORDS = 25;
const LONGEST_TITLE_LINE = 8;
const MOST_TITLE_WORDS = 40;
const END_OF_TERMS = ['end', 'of', 'terms', 'and', 'conditions'];

/** Not a line of the terms that happens to begin with the word: "copyright notice and this permission notice". */
const COPYRIGHT_LINE =
  /^\W*(?:copyright\b(?!\W+(?:notices?|holders?|owners?|licen[cs]e|laws?|statement|and|or)\b)|\(c\)\W*\d|©|all rights reserved)/i;
/** Whom a text names where SPDX's own names another: not a word of the terms. */
const HOLDERS: Readonly<Record<string, readonly [name: RegExp, others: readonly string[]]>> = {
  ISC: [/\bISC (?=DISCLAIMS|BE LIABLE)/g, ['THE AUTHOR ', 'THE AUTHORS ', 'THE COPYRIGHT HOLDER ']],
};

/** Loads the texts of the SPDX list: 5 MB, so only where a document carries a text. */
export async function loadLicenceTexts(): Promise<LicenceTexts> {
  const { default: list } = await import('spdx-license-list/full.js');
  const known = readTexts(
    Object.entries(list).flatMap(([id, { licenseText }]) => {
      const [name, others] = HOLDERS[id] ?? [/$^/, []];
      return [licenseText, ...others.map((other) => licenseText.replace(name, other))].map(
        (text) => [id, text] as const,
      );
    }),
  );
  return {
    identify: (text) => identify(wordsOf(text), known),
    textOf: (id) => (Object.hasOwn(list, id) ? list[id]!.licenseText : undefined),
  };
}

type ByStart = ReadonlyMap<string, readonly KnownText[]>;

function readTexts(texts: ReadonlyArray<readonly [id: string, text: string]>): ByStart {
  const byText = new Map<string, KnownText>();
  for (const [id, text] of texts) {
    // One text for `GPL-2.0`, `GPL-2.0+` and what replaced them.
    const current = spdxId(licenceTerm(id).text);
    const words = termsOf(text);
    if (current === undefined || words.length < LEAST_WORDS) continue;
    const key = words.join(' ');
    const known = byText.get(key) ?? { ids: [], words };
    if (!known.ids.includes(current)) known.ids.push(current);
    byText.set(key, known);
  }
  const byStart = new Map<string, KnownText[]>();
  for (const known of byText.values()) {
    const key = known.words.slice(0, KEY_WORDS).join(' ');
    byStart.set(
      key,
      [...(byStart.get(key) ?? []), known].sort((a, b) => b.words.length - a.words.length),
    );
  }
  return byStart;
}

function identify({ words, titleWords }: Words, byStart: ByStart): IdentifiedText {
  const holds: Array<readonly string[]> = [];
  let is: readonly string[] | undefined;
  for (let start = 0; start + KEY_WORDS <= words.length; start++) {
    const candidates = byStart.get(words.slice(start, start + KEY_WORDS).join(' '));
    const found = candidates?.find((known) => standsAt(known.words, words, start));
    if (found === undefined) continue;
    const end = start + found.words.length;
    holds.push(found.ids);
    if (start <= titleWords && (end === words.length || standsAt(END_OF_TERMS, words, end))) is = found.ids;
    start = end - 1;
  }
  return { holds, ...(is === undefined ? {} : { is }) };
}

function standsAt(wanted: readonly string[], words: readonly string[], start: number): boolean {
  return wanted.length <= words.length - start && wanted.every((word, index) => words[start + index] === word);
}

type Words = {
  readonly words: readonly string[] /** At its start, on lines as short as a title. */;
  readonly titleWords: number;
};

/** The words of a text without copyright lines, list marks and punctuation. */
function wordsOf(text: string): Words {
  const words: string[] = [];
  let titleWords: number | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (COPYRIGHT_LINE.test(line)) continue;
    const unmarked = line.replace(/^[\s#*/;>|-]*(?:\(?\d{1,2}[.)])?\s/, ' ');
    const plain = unmarked
      .toLowerCase()
      .replace(/https?:\/\/|\(?\b[a-z]\)/g, ' ')
      .replace(/licence/g, 'license');
    const found = plain.match(/[a-z0-9]+/g) ?? [];
    const isTitle = found.length <= LONGEST_TITLE_LINE && words.length + found.length <= MOST_TITLE_WORDS;
    if (!isTitle) titleWords ??= words.length;
    for (const word of found) words.push(word);
  }
  return { words, titleWords: titleWords ?? words.length };
}

/** The words of the terms: what stands between the title and the appendix. */
function termsOf(text: string): readonly string[] {
  const { words, titleWords } = wordsOf(text);
  const end = words.findIndex((_, start) => standsAt(END_OF_TERMS, words, start));
  return words.slice(titleWords, end < 0 ? undefined : end);
}

/** The text of a licence as somebody wrote it; undefined where there is none or its base64 holds none. */
export function readLicenceText(text: unknown): string | undefined {
  const { content, encoding } = (text ?? {}) as { content?: unknown; encoding?: unknown };
  if (typeof content !== 'string' || content === '') return undefined;
  if (encoding === undefined) return content;
  if (encoding !== 'base64') return undefined;
  try {
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether any component of a document carries a licence's text, so that {@link loadLicenceTexts} is worth its while. */
export function carriesLicenceText(bom: Bom): boolean {
  for (const { component } of walkComponents(bom)) {
    const ancestors: unknown = (component['pedigree'] as { ancestors?: unknown } | null | undefined)?.ancestors;
    const sources = Array.isArray(ancestors) ? (ancestors as Array<Component | null>) : [];
    if ([component, ...sources].some((one) => hasText(one?.licenses))) return true;
  }
  return false;
}

function hasText(licenses: readonly LicenseChoice[] | undefined): boolean {
  if (!Array.isArray(licenses)) return false;
  return licenses.some((entry) => entry?.license?.text !== undefined || entry?.['expressionDetails'] !== undefined);
}
