/** Why a text is no IRI reference. */
export type IriFault = {
  /** Index of the first UTF-16 code unit that has no place there. */
  readonly at: number;
  readonly kind: 'character' | 'percent' | 'colon' | 'port' | 'ip_literal';
};

/** Bits of the table below: where a character of ASCII may stand. */
const NAME = 1;
const USER = 2;
const PATH = 4;
const QUERY = 8;
const SCHEME = 16;

const CLASSES = new Uint8Array(128);
for (const [characters, bits] of [
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.', NAME | USER | PATH | QUERY | SCHEME],
  ['+', NAME | USER | PATH | QUERY | SCHEME],
  ["_~!$&'()*,;=", NAME | USER | PATH | QUERY],
  [':', USER | PATH | QUERY],
  ['@/', PATH | QUERY],
  ['?', QUERY],
] as const) {
  for (const character of characters) CLASSES[character.charCodeAt(0)] = bits;
}

const [PERCENT, COLON, SLASH, QUESTION, HASH, AT, OPEN] = [0x25, 0x3a, 0x2f, 0x3f, 0x23, 0x40, 0x5b] as const;

/**
 * Holds a text against the rule `IRI-reference`, in one pass. An empty text is one. Nothing is said about what a scheme
 * or a host would make of it.
 * @returns the first fault, or undefined for a reference
 * @see RFC 3987 §2.2
 */
export function iriFaultOf(text: string): IriFault | undefined {
  const path = schemeEnd(text);
  if (text.charCodeAt(path) === SLASH && text.charCodeAt(path + 1) === SLASH) {
    const end = segmentEnd(text, path + 2);
    return faultOfAuthority(text, path + 2, end) ?? faultFrom(text, end);
  }
  if (path === 0) {
    // `path-noscheme`: a colon in the first segment would make a scheme of what stands before it.
    const end = segmentEnd(text, 0);
    const colon = text.slice(0, end).indexOf(':');
    if (colon >= 0 && colon < runEnd(text, 0, end, PATH, false)) return { at: colon, kind: 'colon' };
  }
  return faultFrom(text, path);
}

/** Path, query and fragment. */
function faultFrom(text: string, path: number): IriFault | undefined {
  const { length } = text;
  let at = runEnd(text, path, length, PATH, false);
  if (text.charCodeAt(at) === QUESTION) at = runEnd(text, at + 1, length, QUERY, true);
  if (text.charCodeAt(at) === HASH) at = runEnd(text, at + 1, length, QUERY, false);
  return at === length ? undefined : faultAt(text, at);
}

const BLANK = /\p{Z}/u;

/** Whether a text has a blank of any script: the grammar lets those beyond ASCII pass, and Java's `URI` does not. */
export function hasBlank(text: string): boolean {
  return BLANK.test(text);
}

/** The place behind the colon of a scheme, or 0 where the text begins with none. */
function schemeEnd(text: string): number {
  const first = text.charCodeAt(0) | 0x20;
  if (!(first >= 0x61 && first <= 0x7a)) return 0;
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COLON) return at + 1;
    if (code > 0x7f || ((CLASSES[code] as number) & SCHEME) === 0) return 0;
  }
  return 0;
}

/** Where an authority or a first segment ends. */
function segmentEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === SLASH || code === QUESTION || code === HASH) return at;
  }
  return text.length;
}

/** `[ iuserinfo "@" ] ihost [ ":" port ]` */
function faultOfAuthority(text: string, start: number, end: number): IriFault | undefined {
  const user = runEnd(text, start, end, USER, false);
  let at = user < end && text.charCodeAt(user) === AT ? user + 1 : start;
  if (at < end && text.charCodeAt(at) === OPEN) {
    const close = text.slice(at, end).indexOf(']');
    if (close < 0 || !isIpLiteral(text.slice(at + 1, at + close))) return { at, kind: 'ip_literal' };
    at += close + 1;
  } else {
    at = runEnd(text, at, end, NAME, false);
  }
  if (at === end) return undefined;
  if (text.charCodeAt(at) !== COLON) return faultAt(text, at);
  at += 1;
  while (at < end && isDigit(text.charCodeAt(at))) at += 1;
  const rest = runEnd(text, at, end, USER, false);
  if (rest < end) return faultAt(text, rest);
  return at === end ? undefined : { at, kind: 'port' };
}

/** How far the characters of a class go, with percent-encoded bytes and letters beyond ASCII. */
function runEnd(text: string, start: number, end: number, bits: number, takesPrivate: boolean): number {
  let at = start;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      if (((CLASSES[code] as number) & bits) !== 0) at += 1;
      else if (code === PERCENT && at + 2 < end && isHex(text.charCodeAt(at + 1)) && isHex(text.charCodeAt(at + 2)))
        at += 3;
      else return at;
    } else {
      const point = text.codePointAt(at) as number;
      if (!isUcschar(point) && !(takesPrivate && isPrivate(point))) return at;
      at += point > 0xffff ? 2 : 1;
    }
  }
  return at;
}

function faultAt(text: string, at: number): IriFault {
  return { at, kind: text.charCodeAt(at) === PERCENT ? 'percent' : 'character' };
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/;
const IPV_FUTURE = /^[vV][0-9A-Fa-f]+\.[-0-9A-Za-z._~!$&'()*+,;=:]+$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;
/** `FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:255.255.255.255` */
const LONGEST_IPV6 = 45;

/** `IPv6address / IPvFuture` */
function isIpLiteral(text: string): boolean {
  if (IPV_FUTURE.test(text)) return true;
  if (text.length > LONGEST_IPV6) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) as string[];
  const hasIpv4 = last.length > 0 && IPV4.test(last.at(-1) as string);
  if (hasIpv4) last.pop();
  const count = groups.flat().length + (hasIpv4 ? 2 : 0);
  return groups.flat().every((group) => GROUP.test(group)) && (halves.length === 2 ? count <= 7 : count === 8);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHex(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}

/** `ucschar`; the last two of each plane are no characters, and half a surrogate pair is none either. */
function isUcschar(point: number): boolean {
  if (point < 0x10000)
    return (point >= 0xa0 && point <= 0xd7ff) || (point >= 0xf900 && point <= 0xffef && !isNone(point));
  return (point & 0xffff) <= 0xfffd && (point < 0xe0000 || (point >= 0xe1000 && point < 0xf0000));
}

/** U+FDD0 to U+FDEF are no characters. */
function isNone(point: number): boolean {
  return point >= 0xfdd0 && point <= 0xfdef;
}

/** `iprivate`, which only a query may hold. */
function isPrivate(point: number): boolean {
  return (point >= 0xe000 && point <= 0xf8ff) || (point >= 0xf0000 && (point & 0xffff) <= 0xfffd);
}
