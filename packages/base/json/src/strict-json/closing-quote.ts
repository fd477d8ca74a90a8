const BACKSLASH = 0x5c;

/** The next quote with an even number of backslashes before it, or the end of the text. */
export function closingQuote(text: string, from: number): number {
  for (let at = from; ; at += 1) {
    at = text.indexOf('"', at);
    if (at === -1) return text.length;
    let plain = at;
    while (text.charCodeAt(plain - 1) === BACKSLASH) plain -= 1;
    if ((at - plain) % 2 === 0) return at;
  }
}
