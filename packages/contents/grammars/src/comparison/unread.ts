import type { ResultOf } from '@colophon/records/result';
import type { Verdict } from '@colophon/similarity';
import type { unread } from './comparison-result.ts';
import type { SkippedFile } from './source-files.ts';

/** Files that no verdict is about: how many, and the first of them by path. */
export type Unread = ResultOf<typeof unread>;

const MOST_NAMED = 100;

/** All of some files that were not read, each once. */
export function unreadOf(files: readonly SkippedFile[]): Unread {
  const each = [...new Map(files.map((one) => [one.file, one])).values()];
  const named = each.toSorted((one, other) => (one.file < other.file ? -1 : 1)).slice(0, MOST_NAMED);
  return { count: each.length, files: named };
}

/** What a gate asks of a comparison. */
export type SimilarityGate = {
  /** This verdict or a stronger one closes it. */
  readonly failOn: 'strong' | 'weak';
  /** Files that were not read do not. */
  readonly allowUnread: boolean;
};

/** Whether a gate is closed: by a verdict, or because what was not read may be alike. */
export function isGateClosed(
  { failOn, allowUnread }: SimilarityGate,
  verdicts: readonly Verdict[],
  { count }: Pick<Unread, 'count'>,
): boolean {
  if (count > 0 && !allowUnread) return true;
  return verdicts.some((verdict) => verdict === 'strong' || (failOn === 'weak' && verdict === 'weak'));
}
