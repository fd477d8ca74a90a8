import { SPELLING_SIGN } from './disguised-word.ts';

/** A word of a licence's text, as it is compared, and where it stands. */
export type LicenceWords = {
  /** In lower case, in one spelling, without punctuation. */
  readonly words: readonly string[];
  /** Offsets in {@link source}, one more at the end of each. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** A mark of a list, such as `1.` at the start of a line or `(a)`: no word of the terms. */
  readonly isMark: readonly boolean[];
  /** The text without what nobody sees: zero-width characters, HTML tags, hyphens at the end of a line. */
  readonly source: string;
};

/** Spellings of one word, and words that mean the same in a licence. */
const EQUIVALENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '&': 'and',
    acknowledgment: 'acknowledgement',
    acknowledgments: 'acknowledgements',
    analogue: 'analog',
    analyse: 'analyze',
    artefact: 'artifact',
    artefacts: 'artifacts',
    authorisation: 'authorization',
    authorised: 'authorized',
    cancelled: 'canceled',
    catalogue: 'catalog',
    categorise: 'categorize',
    centre: 'center',
    emphasised: 'emphasized',
    expressed: 'express',
    favour: 'favor',
    favourite: 'favorite',
    fulfil: 'fulfill',
    fulfilment: 'fulfillment',
    initialise: 'initialize',
    judgement: 'judgment',
    labelling: 'labeling',
    labour: 'labor',
    licence: 'license',
    licences: 'licenses',
    licenced: 'licensed',
    maximise: 'maximize',
    merchantibility: 'merchantability',
    modelling: 'modeling',
    offence: 'offense',
    optimise: 'optimize',
    organisation: 'organization',
    organisations: 'organizations',
    organise: 'organize',
    practise: 'practice',
    programme: 'program',
    realise: 'realize',
    recognise: 'recognize',
    signalling: 'signaling',
    utilisation: 'utilization',
    whilst: 'while',
    wilful: 'willful',
  }),
);
/** Two words that are written as one too: the pair without its blank. */
const JOINED = new Set(['percent', 'sublicense', 'sublicenses', 'sublicensed', 'sublicensing', 'noncommercial']);
const SECOND_HALVES = new Set(['cent', 'license', 'licenses', 'licensed', 'licensing', 'commercial']);
const JOINERS = /['’‘ʼ‐‑-]/g;

const LIST_MARK = /^(?:\d{1,2}|[a-z]|[ivx]{1,4})$/;
const [OTHER, LETTER, JOINER, AMPERSAND] = [0, 1, 2, 3];
const LETTER_OR_NUMBER = new RegExp(`[\\p{L}\\p{N}]|${SPELLING_SIGN.source}`, 'u');
/** Characters that nobody sees; of them the signs stay that turn the reading round. */
const UNSEEN = new RegExp(`(?!${SPELLING_SIGN.source})\\p{Cf}`, 'gu');
const KINDS = Uint8Array.from({ length: 0x3000 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (LETTER_OR_NUMBER.test(character)) return LETTER;
  return "'’‘ʼ‐‑-".includes(character) ? JOINER : character === '&' ? AMPERSAND : OTHER;
});

function kindAt(source: string, at: number): number {
  const code = source.charCodeAt(at);
  if (code < KINDS.length) return KINDS[code]!;
  // The second half of a letter beyond the first plane belongs to it.
  if ((code & 0xfc00) === 0xdc00) return LETTER;
  const point = source.codePointAt(at);
  return point !== undefined && LETTER_OR_NUMBER.test(String.fromCodePoint(point)) ? LETTER : OTHER;
}

/** The words of a text, as SPDX's matching guidelines tell when two are the same. */
export function licenceWords(text: string): LicenceWords {
  const source = seen(text);
  const lower = source.toLowerCase();
  // A few letters change their length with their case; then each word is turned by itself.
  const isAligned = lower.length === source.length;
  const words: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const isMark: boolean[] = [];
  for (let start = 0; start < source.length; start++) {
    const kind = kindAt(source, start);
    if (kind === OTHER || kind === JOINER || (kind === AMPERSAND && !/\s/.test(source[start + 1] ?? ''))) continue;
    let end = start + 1;
    let hasJoiner = false;
    while (kind === LETTER && end < source.length) {
      const next = kindAt(source, end);
      if (next === JOINER && kindAt(source, end + 1) === LETTER) hasJoiner = true;
      else if (next !== LETTER) break;
      end++;
    }
    const raw = isAligned ? lower.slice(start, end) : source.slice(start, end).toLowerCase();
    const plain = hasJoiner ? raw.replace(JOINERS, '') : raw;
    const word = EQUIVALENTS.get(plain) ?? plain;
    const before = words.at(-1);
    if (before !== undefined && SECOND_HALVES.has(word) && JOINED.has(before + word)) {
      words[words.length - 1] = before + word;
      ends[ends.length - 1] = end;
    } else {
      const isHolder = before === 'copyright' && (word === 'owner' || word === 'owners');
      words.push(isHolder ? word.replace('owner', 'holder') : word);
      starts.push(start);
      ends.push(end);
      isMark.push(plain.length <= 4 && LIST_MARK.test(plain) && isListMark(source, start, end));
    }
    start = end - 1;
  }
  return { words, starts, ends, isMark, source };
}

const LINE_START = /(?:^|\n)[^\p{L}\p{N}\n]{0,20}$/u;

/** `(a)` and `a)` anywhere; `1.` and `1.2.` where a line begins. */
function isListMark(source: string, start: number, end: number): boolean {
  if (source[end] === ')') return true;
  if (source[end] !== '.' && source[end] !== ':') return false;
  const before = source.slice(Math.max(0, start - 24), start);
  return LINE_START.test(before);
}

/** Tags that say how a text looks; what else stands between `<` and `>` is text. */
const TAG =
  /<\/?(?:a|b|blockquote|body|br|center|code|dd|div|dl|dt|em|h[1-6]|head|hr|html|i|li|ol|p|pre|span|strong|table|tbody|td|th|tr|tt|u|ul)(?:\s+(?:href|id|class|name|align|style|lang)=(?:"[^"<>\s]{0,200}"|'[^'<>\s]{0,200}'))*\s*\/?>/gi;
/** Of an address that a tag leads to, so many of these words say what may not be done. */
const LEAST_FORBIDDING = 2;
const FORBIDDING =
  /(?<![a-z])(?:no|non|not|never|without|except|excluding|only|allowed|permitted|forbidden|prohibited|commercial|noncommercial|for|sale|sell|resale|use|military)(?![a-z])/gi;

function forbids(tag: string): boolean {
  const [address] = /\bhref=.*/i.exec(tag) ?? [''];
  return (address.match(FORBIDDING)?.length ?? 0) >= LEAST_FORBIDDING || /non?[-_]?commerc/i.test(address);
}
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  copy: '©',
  gt: '>',
  ldquo: '"',
  lt: '<',
  mdash: '—',
  nbsp: ' ',
  ndash: '–',
  quot: '"',
  rdquo: '"',
  rsquo: "'",
};

/** Where the Free Software Foundation was and is: its licences name the place that was current when they were printed. */
const POSTAL_ADDRESS =
  /\b(?:675[\s*#/]+Mass(?:\.|achusetts)?[\s*#/]+Ave(?:\.|nue)?,?[\s*#/]+Cambridge|59[\s*#/]+Temple[\s*#/]+Pl(?:\.|ace)?[\s,*#/-]*(?:Suite[\s*#/]+330)?[\s,*#/-]+Boston|51[\s*#/]+Franklin[\s*#/]+St(?:\.|reet)?[\s,*#/-]*(?:(?:Fifth|5th)[\s*#/]+Floor)?[\s,*#/-]+Boston|31[\s*#/]+Milk[\s*#/]+St(?:\.|reet)?[\s*#/,]+(?:#[\s*#/]*)?960789[\s*#/,]+Boston),?[\s*#/]+(?:MA|Massachusetts)?[\s,.*#/]*(?:0\d{4}(?:-\d{4})?)?(?:[\s,*#/]+U\.?S\.?A\b\.?)?/gi;

/** The text as a reader sees it, with one spelling of addresses. */
function seen(text: string): string {
  const visible = /[^\0-\x7f]/.test(text) ? text.normalize('NFKC').replace(UNSEEN, '') : text;
  const plain = visible.replace(/\r\n?/g, '\n');
  const untagged = /<\/?\w/.test(plain) ? plain.replace(TAG, (tag) => (forbids(tag) ? tag : ' ')) : plain;
  const decoded = !untagged.includes('&')
    ? untagged
    : untagged.replace(
        /&(?:#(\d{2,5})|#x([\da-f]{2,4})|([a-z]{2,5}));/gi,
        (entity, decimal, hex, name: string | undefined) => {
          if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity;
          return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
        },
      );
  return (
    decoded
      // Markdown strikes these words out.
      .replace(/(?<!~)~~(?=[\p{L}\p{N}])/gu, ' (struck out) ')
      .replace(/(?<=\p{L})[-‐‑]\n[^\p{L}\p{N}\n]{0,12}(?=\p{Ll})/gu, '')
      .replace(POSTAL_ADDRESS, 'fsf-address')
      .replace(/\b(?:https?|ftp):\/\/(?:www\.)?/gi, '')
  );
}
