/** Something that the written document does not say, or not in the same way. */
export type VexLoss = {
  /** JSON Pointer to the first place, as OpenVEX has it: `/statements/3/supplier`. */
  readonly path: string;
  readonly what: string;
  readonly why: string;
  /** Places of which the same is to be said. */
  readonly count: number;
};

/** What is lost while a document is written; the same in many places is one loss with a count. */
export class VexLosses {
  private readonly lost = new Map<string, VexLoss & { count: number }>();

  add(path: string, what: string, why: string): void {
    const key = `${what} ${why}`;
    const before = this.lost.get(key);
    if (before === undefined) this.lost.set(key, { path, what, why, count: 1 });
    else before.count += 1;
  }

  list(): readonly VexLoss[] {
    return [...this.lost.values()];
  }
}
