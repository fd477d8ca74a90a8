const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);

/** Exactly `width` digits, most significant first, so that texts of one width sort as their values do. */
export function encodeBase62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= BASE) text = DIGITS[Number(rest % BASE)]! + text;
  return text.padStart(width, '0');
}

/** `length` digits, each as likely as any other; a byte beyond the last multiple of 62 is drawn again. */
export function randomBase62(length: number, bytes: (length: number) => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of bytes(length - text.length)) if (byte < 248) text += DIGITS[byte % 62]!;
  }
  return text;
}
