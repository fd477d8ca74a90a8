const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether an object of a document names a member twice: readers differ in which of them counts.
 * @param text valid JSON
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-4
 */
export function repeatsMember(text: string): boolean {
  /** The names of each open object; undefined for a list. */
  const open: Array<Set<string> | undefined> = [];
  /** Whether the next text of an object is a name. */
  let isName: boolean | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(text, at);
      const names = open.at(-1);
      if (names !== undefined && isName) {
        const name = JSON.parse(text.slice(at, end + 1)) as string;
        if (names.has(name)) return true;
        names.add(name);
      }
      at = end;
      isName = false;
    } else if (code === 0x7b) {
      open.push(new Set());
      isName = true;
    } else if (code === 0x5b) open.push(undefined);
    else if (code === 0x7d || code === 0x5d) open.pop();
    else if (code === 0x2c) isName = true;
  }
  return false;
}

/** Where a text of JSON ends that starts here: at its quotation mark, or behind the last character where it has none. */
export function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
