import { existsSync } from 'node:fs';
import { decodeBase64 } from '@colophon/encoding';
import { type DigestAlgorithm, parseHexDigest, parseImageReference, parseIntegrity } from '@colophon/notation';
import { hashFile } from '@colophon/sigstore';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { assertReadableFile } from '../input/input.ts';

/** What is meant as a digest, whether or not it is one: an algorithm, or many hex digits. */
const ALMOST_DIGEST = /^(?:sha\d+[:-].*|[0-9a-f]{32,}|.*@sha\d+:.*)$/i;

/**
 * Reads a digest in any form that tools print: hex digits in either case, with or without `sha256:` before them, base64,
 * `sha256-<base64>` as subresource integrity writes it, or an image reference with its digest.
 * @returns `<algorithm>:<hex>` in lower case; undefined for anything else
 */
export function parseAnyDigest(text: string): string | undefined {
  const [integrity] = /\s/.test(text) ? [] : parseIntegrity(text);
  return (
    ofHex(text.toLowerCase()) ??
    (integrity && ofBase64(integrity.value, `${integrity.algorithm}:`)) ??
    ofBase64(text) ??
    parseImageReference(text)?.digest
  );
}

/**
 * The digest of an artifact that a flag names: of the file, or the digest itself where there is no such file.
 * @param known algorithms that can be asked for
 * @throws CliError `cli.file_unreadable` for what is neither, `cli.usage` as digestFlag
 */
export async function artifactDigest(flag: string, text: string, known: readonly DigestAlgorithm[]): Promise<string> {
  if (!existsSync(text) && (parseAnyDigest(text) !== undefined || ALMOST_DIGEST.test(text))) {
    return digestFlag(flag, text, known);
  }
  await withFacts({ expected: `a file, or ${expectedDigest(known)}` }, async () => assertReadableFile(text));
  return `sha256:${(await hashFile(text)).sha256}`;
}

/**
 * The digest that a flag gives.
 * @throws CliError `cli.usage` for no digest, and for one of an algorithm that cannot be asked for
 */
export function digestFlag(flag: string, text: string, known: readonly DigestAlgorithm[]): string {
  const digest = parseAnyDigest(text);
  const facts = { checked: flag, expected: expectedDigest(known), found: text };
  if (digest === undefined) throw new CliError('cli.usage', `${flag} is no digest`, facts);
  const algorithm = digest.slice(0, digest.indexOf(':'));
  if ((known as readonly string[]).includes(algorithm)) return digest;
  throw new CliError('cli.usage', `${flag} is a digest by ${algorithm}, which finds nothing`, facts);
}

function expectedDigest(known: readonly DigestAlgorithm[]): string {
  return `a digest by ${known.join(', ')}: hex, base64, sha256:HEX, sha256-BASE64 or IMAGE@sha256:HEX`;
}

function ofHex(text: string): string | undefined {
  const digest = parseHexDigest(text);
  return digest && `${digest.algorithm}:${digest.hex}`;
}

function ofBase64(text: string, prefix = ''): string | undefined {
  const bytes = decodeBase64(text);
  return bytes && ofHex(prefix + Buffer.from(bytes).toString('hex'));
}
