/** Questions that are open at the same time. */
const QUESTIONS_AT_ONCE = 8;

/**
 * What `work` makes of each item, a few at a time, in the order of the items, whichever peer answers last. After a
 * failure nothing more is begun.
 */
export async function eachAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const made = new Array<R>(items.length);
  const open = items.entries();
  let hasFailed = false;
  const worker = async () => {
    for (const [index, item] of open) {
      if (hasFailed) return;
      try {
        made[index] = await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, worker));
  return made;
}
