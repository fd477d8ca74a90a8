import type { CvssVersion, StatedScore } from '@colophon/findings';
import { textOf } from './members.ts';

const NUMBER = /^\d{1,2}(?:\.\d{1,3})?$/;

/**
 * A score as a scanner states it. A score of 0 that no vector stands behind is how several of them write that nobody
 * scored it, so it is none.
 *
 * @param version by which a number without a vector was made, where its place says it
 */
export function statedScore(vector: unknown, score: unknown, source?: unknown, version?: CvssVersion): StatedScore[] {
  // `None`, as some write it, is no vector.
  const vectorText = textOf(vector)?.includes(':') ? textOf(vector) : undefined;
  const number = numberOf(score);
  if (vectorText === undefined && (number === undefined || number === 0)) return [];
  const by = textOf(source);
  return [
    {
      ...(vectorText !== undefined && { vector: vectorText }),
      ...(number !== undefined && { score: number }),
      ...(by !== undefined && { source: by }),
      ...(vectorText === undefined && version !== undefined && { version }),
    },
  ];
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined;
}
