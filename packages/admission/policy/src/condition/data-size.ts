const CHARACTERS_PER_STEP = 16;

/**
 * How much there is to look at in plain data: its values, and its text at 16 characters a step.
 * @param most where counting ends: what is larger is as large as that, or a little larger
 */
export function sizeOf(data: unknown, most = Number.POSITIVE_INFINITY): number {
  let size = 0;
  const waiting: unknown[] = [data];
  while (waiting.length > 0 && size <= most) {
    const value = waiting.pop();
    size += 1;
    if (typeof value === 'string') size += Math.floor(value.length / CHARACTERS_PER_STEP);
    else if (typeof value === 'object' && value !== null) {
      // A map that an expression writes.
      for (const [key, member] of value instanceof Map ? value : Object.entries(value)) {
        size += Math.floor(String(key).length / CHARACTERS_PER_STEP);
        waiting.push(member);
      }
    }
  }
  return size;
}
