import fc from 'fast-check';

const ALPHANUMERIC = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
const HEX = [...'0123456789abcdef'];

/** Names that an agent may have: 1 to 64 of letters, digits, `.`, `_`, `-`, a letter or digit first. */
export function agentName(): fc.Arbitrary<string> {
  const rest = fc.string({ unit: fc.constantFrom(...ALPHANUMERIC, '.', '_', '-'), maxLength: 63 });
  return fc.tuple(fc.constantFrom(...ALPHANUMERIC), rest).map(([first, tail]) => first + tail);
}

/** Digests as claims carry them: `sha256:` and 64 lower-case hex digits (contract §2.1). */
export function sha256Digest(): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...HEX), minLength: 64, maxLength: 64 }).map((hex) => `sha256:${hex}`);
}

/** Plain e-mail addresses in ASCII. */
export function emailAddress(): fc.Arbitrary<string> {
  const label = fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
    minLength: 1,
    maxLength: 12,
  });
  const domain = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => `${labels.join('.')}.example`);
  return fc.tuple(label, domain).map(([local, host]) => `${local}@${host}`);
}

const SURROGATES = { first: 0xd800, count: 0x800 };
const CODE_POINTS = 0x110000 - SURROGATES.count;

/**
 * Any text that is well formed, of every Unicode character and often of ASCII: what `fc.string({ unit: 'binary' })` makes,
 * which takes seconds of a busy machine to list all characters first.
 */
export function anyText(
  lengths: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> {
  const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(CODE_POINTS - 1));
  const unit = codePoint.map((n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count));
  return fc.string({ ...lengths, unit });
}
