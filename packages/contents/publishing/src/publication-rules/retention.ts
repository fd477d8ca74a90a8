import { PublishingError } from './publishing-error.ts';

/** @see contract §8 */
export const LEAST_RETENTION_YEARS = 3;
const MOST_RETENTION_YEARS = 100;

/**
 * The moment until which something published then must be kept: the same day and time, years later. What was published
 * on a 29 February is kept until 1 March where the year has no such day.
 * @param publishedAt RFC 3339 with Z
 * @throws PublishingError `publishing.retention_too_short`
 */
export function retainUntil(publishedAt: string, years: number = LEAST_RETENTION_YEARS): string {
  if (!Number.isInteger(years) || years < LEAST_RETENTION_YEARS || years > MOST_RETENTION_YEARS) {
    throw new PublishingError('publishing.retention_too_short', 'SBOMs are kept for whole years', {
      expected: `${LEAST_RETENTION_YEARS} to ${MOST_RETENTION_YEARS}`,
      found: String(years),
    });
  }
  const year = Number(publishedAt.slice(0, 4)) + years;
  const day = publishedAt.slice(4, 10);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return `${String(year).padStart(4, '0')}${day === '-02-29' && !isLeap ? '-03-01' : day}${publishedAt.slice(10)}`;
}

/** Until when a version is kept: an index that promises less than the contract asks for promises nothing. */
export function keptUntil({ published_at, retain_until }: { published_at: string; retain_until: string }): string {
  const least = retainUntil(published_at);
  return retain_until > least ? retain_until : least;
}

/**
 * @param now RFC 3339 with Z, without fraction
 * @throws PublishingError `publishing.retained`
 */
export function assertMayBeDeleted(
  publication: { version: string; published_at: string; retain_until: string },
  now: string,
): void {
  const until = keptUntil(publication);
  if (now >= until) return;
  throw new PublishingError('publishing.retained', `version ${publication.version} must be kept`, {
    expected: `deletion from ${until} on`,
    found: now,
  });
}
