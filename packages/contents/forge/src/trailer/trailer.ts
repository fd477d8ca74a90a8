/** One line at the end of a commit's message, `Key: value`. */
export type Trailer = { readonly key: string; readonly value: string };

const TRAILER = /^([A-Za-z0-9][A-Za-z0-9-]{0,63})[ \t]*:[ \t]*(.*)$/;

/**
 * Reads the trailers of a commit's message: those of its last paragraph, where at least every fourth line is one. A
 * line that begins with a blank continues the one above.
 * @see git-interpret-trailers(1)
 */
export function parseTrailers(message: string): readonly Trailer[] {
  const paragraphs = message
    .replaceAll('\r\n', '\n')
    .trimEnd()
    .split(/\n[ \t]*\n/);
  // The first paragraph is the subject.
  if (paragraphs.length < 2) return [];
  const lines = (paragraphs.at(-1) ?? '').split('\n');
  const trailers: { key: string; value: string }[] = [];
  let others = 0;
  let isContinued = false;
  for (const line of lines) {
    if (/^[ \t]/.test(line)) {
      const last = trailers.at(-1);
      if (isContinued && last !== undefined) last.value = `${last.value} ${line.trim()}`.trim();
      continue;
    }
    const [, key, value] = TRAILER.exec(line) ?? [];
    isContinued = key !== undefined;
    if (key === undefined || value === undefined) others += 1;
    else trailers.push({ key, value: value.trim() });
  }
  return trailers.length * 3 >= others ? trailers : [];
}
