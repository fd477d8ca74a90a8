const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ZERO = /^-?[0.]+(?:[eE]|$)/;

/** The number that is written at a place of a text, or undefined. */
export function numberLiteralAt(text: string, at: number): string | undefined {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0];
}

/** Whether every reader keeps a number alike: within ±(2^53 - 1), not negative zero, not too small to hold. */
export function isKeptExactly(literal: string): boolean {
  const value = Number(literal);
  if (value === 0) return !literal.startsWith('-') && ZERO.test(literal);
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}
