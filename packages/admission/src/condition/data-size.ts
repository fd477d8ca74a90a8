const CHARACTERS_PER_STEP = 16;

/** How much there is to look at in plain data: its values, and its text at 16 characters a step. */
export function sizeOf(data: unknown): number {
  let size = 0;
  const waiting: unknown[] = [data];
  while (waiting.length > 0) {
    const value = waiting.pop();
    size += 1;
    if (typeof value === 'string') size += Math.floor(value.length / CHARACTERS_PER_STEP);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        size += Math.floor(key.length / CHARACTERS_PER_STEP);
        waiting.push(member);
      }
    }
  }
  return size;
}
