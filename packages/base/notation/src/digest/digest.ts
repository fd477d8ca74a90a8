/** Hex digits by algorithm: those that the OCI image specification registers, and SHA-1, which logs and packages still have. */
const HEX_DIGITS = { sha1: 40, sha256: 64, sha384: 96, sha512: 128 } as const;

export type DigestAlgorithm = keyof typeof HEX_DIGITS;

const ALGORITHMS = Object.keys(HEX_DIGITS) as DigestAlgorithm[];

const DIGEST = /^(?:(sha\d+):)?([0-9a-f]+)$/;

/** A pattern for JSON Schema: so many hex digits in lower case. */
export const hexPattern = (digits: number) => `^[0-9a-f]{${digits}}$`;

/** A pattern for JSON Schema: SHA-256 in the only form that leaves this program (contract §2.1). */
export const SHA256_PATTERN = `^sha256:[0-9a-f]{${HEX_DIGITS.sha256}}$`;

/** The digits alone, as in-toto's digests and the ids of stored bundles have them. */
export const SHA256_HEX_PATTERN = hexPattern(HEX_DIGITS.sha256);

/** A digest that says how it was made. */
export type Digest<Algorithm extends DigestAlgorithm = Exclude<DigestAlgorithm, 'sha1'>> = {
  readonly algorithm: Algorithm;
  /** Lower case, as many digits as the algorithm gives. */
  readonly hex: string;
};

/**
 * Reads `<algorithm>:<hex>` in lower case, by an algorithm of the OCI image specification. Which of them count is for the
 * caller to say.
 *
 * @returns undefined for anything else: another algorithm, another length, capitals.
 */
export function parseDigest(text: string): Digest | undefined {
  const { algorithm, hex = '' } = (text.includes(':') ? parseHexDigest(text) : undefined) ?? {};
  return algorithm === undefined || algorithm === 'sha1' ? undefined : { algorithm, hex };
}

/**
 * Reads hex digits in lower case, of SHA-1 too; where no `<algorithm>:` is before them, their number tells the algorithm.
 *
 * @returns undefined for anything else: another algorithm, another length, capitals.
 */
export function parseHexDigest(text: string): Digest<DigestAlgorithm> | undefined {
  const [, name, hex = ''] = DIGEST.exec(text) ?? [];
  const algorithm = ALGORITHMS.find((one) => HEX_DIGITS[one] === hex.length);
  return algorithm === undefined || (name ?? algorithm) !== algorithm ? undefined : { algorithm, hex };
}

/** True for `sha256:` and 64 hex digits in lower case. */
export function isSha256(text: string): boolean {
  return parseDigest(text)?.algorithm === 'sha256';
}

/** True for the 64 hex digits of a SHA-256 in lower case, with no algorithm before them. */
export function isSha256Hex(text: string): boolean {
  return isSha256(`sha256:${text}`);
}

/**
 * Reads a SHA-256 digest as callers write it, bare hex or with `sha256:` before it, in either case (contract §2.1
 * shows both), and returns the one form that is stored and signed: `sha256:` and 64 lower-case hex digits.
 *
 * @returns undefined for anything else.
 */
export function parseSha256(text: string): string | undefined {
  const digest = `sha256:${text.replace(/^sha256:/, '').toLowerCase()}`;
  return isSha256(digest) ? digest : undefined;
}
