const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const STANDARD = `${LETTERS}+/`;
const STANDARD_VALUES = valuesOf(STANDARD);
const URL_VALUES = valuesOf(`${LETTERS}-_`);
const NO_LETTER = 0xff;

/** How a sender may spell base64. Whatever it chooses, a byte string has one spelling in each form. */
export type Base64Form = {
  /** RFC 4648 §4 or §5; `either` takes both, but not mixed in one text. */
  readonly alphabet?: 'standard' | 'url' | 'either';
  readonly padding?: 'required' | 'none' | 'optional';
};

/** Base64 with padding (RFC 4648 §4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(i, i + 3);
    const digits = [a >> 2, ((a & 3) << 4) | (b >> 4), ((b & 15) << 2) | (c >> 6), c & 63];
    const present = Math.min(bytes.length - i, 3) + 1;
    for (let d = 0; d < 4; d++) text += d < present ? STANDARD.charAt(digits[d] as number) : '=';
  }
  return text;
}

/**
 * The bytes of strict base64: by default standard alphabet and padded. Nothing stands around it and unused bits are zero,
 * so that every byte string has exactly one spelling (RFC 4648 §3.5).
 * @returns undefined for anything else; never throws
 */
export function decodeBase64(
  text: string,
  { alphabet = 'standard', padding = 'required' }: Base64Form = {},
): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
  const isPadded = digits < text.length;
  if (isPadded && (padding === 'none' || text.length % 4 !== 0)) return undefined;
  if (digits % 4 === 1 || (!isPadded && padding === 'required' && digits % 4 !== 0)) return undefined;
  const first = decodeDigits(text, digits, alphabet === 'url' ? URL_VALUES : STANDARD_VALUES);
  return first === undefined && alphabet === 'either' ? decodeDigits(text, digits, URL_VALUES) : first;
}

/** The bytes of strict base64url without padding, as JWS and JWK have it (RFC 7515 §2). Undefined for anything else. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  return decodeBase64(text, { alphabet: 'url', padding: 'none' });
}

function decodeDigits(text: string, count: number, values: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new Uint8Array(Math.floor((count * 3) / 4));
  let bits = 0;
  let held = 0;
  let length = 0;
  for (let i = 0; i < count; i++) {
    const value = values[text.charCodeAt(i)] ?? NO_LETTER;
    if (value === NO_LETTER) return undefined;
    bits = (bits << 6) | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[length++] = bits >> held;
      bits &= (1 << held) - 1;
    }
  }
  return bits === 0 ? bytes : undefined;
}

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(128).fill(0xff);
  for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value;
  return values;
}
