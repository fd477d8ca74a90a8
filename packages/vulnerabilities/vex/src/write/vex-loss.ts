import type { ResultOf } from '@colophon/records/result';
import type { vexLoss } from './vex-loss-result.ts';

/** Something that the written document does not say, or not in the same way. */
export type VexLoss = ResultOf<typeof vexLoss>;

/** What is lost while a document is written; the same in many places is one loss with a count. */
export class VexLosses {
  private readonly lost = new Map<string, VexLoss & { place_count: number }>();

  add(path: string, what: string, why: string): void {
    const key = `${what} ${why}`;
    const before = this.lost.get(key);
    if (before === undefined) this.lost.set(key, { path, what, why, place_count: 1 });
    else before.place_count += 1;
  }

  list(): readonly VexLoss[] {
    return [...this.lost.values()];
  }
}
