import { existsSync } from 'node:fs';
import type { DigestAlgorithm } from '@colophon/notation';
import { hashFile } from '@colophon/sigstore';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { assertReadableFile } from '../input/input.ts';
import { parseAnyDigest } from './any-digest.ts';

/** What is meant as a digest, whether or not it is one: an algorithm, or many hex digits. */
const ALMOST_DIGEST = /^(?:sha\d+[:-].*|[0-9a-f]{32,}|.*@sha\d+:.*)$/i;

/** Whether a word in the place of a file is meant as a digest: there is no such file, and it is one or nearly one. */
export function isMeantAsDigest(text: string): boolean {
  return !existsSync(text) && (parseAnyDigest(text) !== undefined || ALMOST_DIGEST.test(text));
}

/**
 * The digest of an artifact that a flag names: of the file, or the digest itself where there is no such file.
 * @param known algorithms that can be asked for
 * @throws CliError `cli.file_unreadable` for what is neither, `cli.usage` as digestFlag
 */
export async function artifactDigest(flag: string, text: string, known: readonly DigestAlgorithm[]): Promise<string> {
  if (isMeantAsDigest(text)) return digestFlag(flag, text, known);
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
