/** Both ends inclusive. */
export type ByteRange = { readonly start: number; readonly end: number };

/**
 * Reads a Range header for content of `size` bytes (RFC 9110 §14). Several ranges, or a unit that is not `bytes`, are
 * ignored as the RFC allows, so the answer is the whole content.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (match === null) return 'whole';
  const [, first, last] = match as unknown as [string, string, string];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}

/** Reads the Content-Range of an upload's chunk, `<start>-<end>` (distribution spec, "Pushing a blob in chunks"). */
export function parseChunkRange(header: string): ByteRange | undefined {
  const match = /^(?:bytes )?(\d{1,15})-(\d{1,15})(?:\/(?:\*|\d{1,15}))?$/.exec(header);
  if (match === null) return undefined;
  const range = { start: Number(match[1]), end: Number(match[2]) };
  return range.end < range.start ? undefined : range;
}
