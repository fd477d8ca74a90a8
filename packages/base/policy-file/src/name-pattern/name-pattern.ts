/** Whether a name is one of those that patterns stand for. */
export type NameMatch = (name: string) => boolean;

/**
 * Compiles patterns over names: `*` stands for any characters but `/`, `**` for any at all; everything else stands for
 * itself, in its case. Names without a star are looked up at once, however many there are.
 */
export function compileNamePatterns(patterns: readonly string[]): NameMatch {
  const names = new Set(patterns);
  const stars = patterns.filter((pattern) => pattern.includes('*')).map(partsOf);
  return (name) => names.has(name) || stars.some((parts) => matchesParts(parts, name));
}

/** Texts and stars by turns. */
type Part = { readonly text: string } | { readonly crosses: boolean };

function partsOf(pattern: string): Part[] {
  return pattern.split(/(\*+)/).map((text) => (text.includes('*') ? { crosses: text.length > 1 } : { text }));
}

/** Every place that the parts so far can end at, part by part: at most the name's length squared for each star. */
function matchesParts(parts: readonly Part[], name: string): boolean {
  let ends = new Set([0]);
  for (const part of parts) {
    const next = new Set<number>();
    for (const end of ends) {
      if ('text' in part) {
        if (name.startsWith(part.text, end)) next.add(end + part.text.length);
        continue;
      }
      for (let at = end; !next.has(at); at += 1) {
        next.add(at);
        if (at === name.length || (name[at] === '/' && !part.crosses)) break;
      }
    }
    ends = next;
  }
  return ends.has(name.length);
}
