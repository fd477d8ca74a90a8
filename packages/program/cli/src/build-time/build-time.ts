import { createHash } from 'node:crypto';
import { CliError } from '../cli-error/cli-error.ts';

/** The last second of the year 9999, beyond which RFC 3339 has no words. */
const LAST_SECOND = 253_402_300_799;

/**
 * The time that a document is made: of `SOURCE_DATE_EPOCH` where that is set, so that the same input gives the same
 * bytes, else now. RFC 3339 with Z, whole seconds.
 * @throws CliError `cli.usage` where the variable holds anything but seconds since 1970
 * @see https://reproducible-builds.org/specs/source-date-epoch/
 */
export function buildTime(env: NodeJS.ProcessEnv, now: () => number = Date.now): string {
  const epoch = sourceDateEpoch(env);
  return new Date(epoch === undefined ? now() : epoch * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** True where the same input is to give the same bytes. */
export function isReproducible(env: NodeJS.ProcessEnv): boolean {
  return sourceDateEpoch(env) !== undefined;
}

function sourceDateEpoch({ SOURCE_DATE_EPOCH: text }: NodeJS.ProcessEnv): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= LAST_SECOND) return seconds;
  throw new CliError('cli.usage', 'SOURCE_DATE_EPOCH is no time', {
    expected: 'whole seconds since 1970, such as the output of: git log -1 --format=%ct',
    found: text.slice(0, 40),
  });
}

/** A UUID made of content: the same for the same content. Version 8: SHA-256, of our own making. @see RFC 9562 §5.8 */
export function contentUuid(content: string): string {
  const bytes = createHash('sha256').update(content).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
