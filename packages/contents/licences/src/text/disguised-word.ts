/** Letters of other alphabets, and small capitals, that look like a Latin letter; in lower case. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    ['авекмнорстухіјѕѵԁԛԝһԍ', 'abekmhopctyxijsvdqwhg'],
    ['αβεζηικμνορτυχγ', 'abezhikmnoptyxy'],
    ['ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ', 'abcdefghijklmnoprstuvwyz'],
    ['ıøđłħɑɡɩոօս', 'iodlhaginou'],
  ].flatMap(([from, to]) => [...from!].map((letter, index) => [letter, [...to!][index]!] as const)),
);
const DIGITS: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' };
/**
 * Signs that no name is printed with: those that spell (Braille, flags, letters in circles), strike a letter out, forbid, or
 * turn the reading round.
 */
export const SPELLING_SIGN = /[\u202d\u202e\u2800-\u28ff⛔🚫🛇\u{1f150}-\u{1f1ff}]|[\u0334-\u0338]/u;
const SCRIPTS_OF_NAMES =
  'Latin Greek Cyrillic Armenian Georgian Hebrew Arabic Han Hiragana Katakana Hangul Bopomofo Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Khmer Myanmar Ethiopic Tibetan Common Inherited';
/** Of an alphabet in which nobody states a copyright. Some, as Lisu and Cherokee, are drawn like Latin ones. */
const OTHER_LETTER = new RegExp(
  `(?=\\p{L})[^${SCRIPTS_OF_NAMES.split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('')}]`,
  'u',
);
/** Letters of phonetic alphabets; two in one word are Latin ones upside down. */
const TURNED = /[ǝ\u0250-\u02af\u1d00-\u1d7f].*[ǝ\u0250-\u02af\u1d00-\u1d7f]/u;
/** So many single letters in a row are a word with blanks in it, and no initials. */
const SPACED_OUT = /(?:(?<![\p{L}\p{N}])\p{L}(?![\p{L}\p{N}])[^\p{L}\p{N}]+){6}/u;
const JOINED = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-‐‑'’‘ʼ][\p{L}\p{N}]+)+|\p{Lu}\p{Ll}+(?:\p{Lu}\p{Ll}+)+/gu;

/** A word in lower case as its reader sees it: without accents, in Latin letters where it is drawn with others. */
function asDrawn(word: string): string {
  const plain = [...word.normalize('NFKD').replace(/\p{M}/gu, '')].map((letter) => LOOK_ALIKES.get(letter) ?? letter);
  const drawn = plain.join('');
  return drawn.length > 2 && /[a-z]/.test(drawn) ? drawn.replace(/[013457]/g, (digit) => DIGITS[digit]!) : drawn;
}

/** Whether a word, in lower case, is one of some plain words in letters that look alike. */
export function isDisguised(word: string, plain: ReadonlySet<string>): boolean {
  if (/^(?:[a-z]+|\d+)$/.test(word)) return false;
  const isMixed = /\p{Script=Cyrillic}/u.test(word) && /\p{Script=Latin}/u.test(word);
  return (
    isMixed || SPELLING_SIGN.test(word) || OTHER_LETTER.test(word) || TURNED.test(word) || plain.has(asDrawn(word))
  );
}

/**
 * Whether plain words stand in a text joined into one word (`NO-COMMERCIAL-USE`, `NoCommercialUse`), or with blanks
 * between their letters. One alone may be part of a name: `PayPal`, `Sans-Serif`.
 */
export function hasJoinedWords(source: string, plain: ReadonlySet<string>): boolean {
  if (SPACED_OUT.test(`${source} `)) return true;
  for (const [joined] of source.matchAll(JOINED)) {
    const parts = joined.split(/[-‐‑'’‘ʼ]|(?<=\p{Ll})(?=\p{Lu})/u).map((part) => part.toLowerCase());
    const count = parts.filter((part) => plain.has(part) || isDisguised(part, plain)).length;
    if (count > 1 || (count === 1 && parts.length > 2 && /^\p{Lu}/u.test(joined))) return true;
  }
  return false;
}
