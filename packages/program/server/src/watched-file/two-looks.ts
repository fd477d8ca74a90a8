/** Files that two looks did not find alike after this time are as good as not in force. */
const PENDING_MS = 2_000;

/**
 * What is found of files that others write to. It counts once two looks in a row found the same: what a writer has
 * written so far may be a whole file that says something else.
 */
export class TwoLooks {
  #found: string | undefined;
  /** Since when nothing counted; milliseconds of the process's own clock. */
  #since: number | undefined;

  /**
   * Whether the look before this one found the same.
   * @param found what tells contents apart
   */
  isSame(found: string): boolean {
    const isSame = found === this.#found;
    this.#found = found;
    this.#since ??= performance.now();
    return isSame;
  }

  /** What was found counts, or nothing was changed: the next change is looked at twice again. */
  settle(): void {
    this.#found = undefined;
    this.#since = undefined;
  }

  /** Why nothing of what is found counts for so long; undefined otherwise. */
  get problem(): Error | undefined {
    const isLate = this.#since !== undefined && performance.now() - this.#since > PENDING_MS;
    return isLate ? new Error('the files are changed again and again') : undefined;
  }
}
