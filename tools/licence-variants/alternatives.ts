/** Stands for any run of words in an alternative. */
export const ANY = '*';
/** More alternatives of one place are taken for "anything". */
const MOST_ALTERNATIVES = 64;

/**
 * The texts that a pattern of the SPDX list matches, where they are few: `EXPRESS(ED)?` is `EXPRESS` and `EXPRESSED`.
 * What matches anything (`.+`, `[^,]*`) is {@link ANY}.
 * @returns `undefined` for a pattern of another kind
 */
export function alternativesOf(pattern: string): readonly string[] | undefined {
  let position = 0;

  function choice(): string[] {
    const all = sequence();
    while (pattern[position] === '|') {
      position++;
      all.push(...sequence());
    }
    return all;
  }
  function sequence(): string[] {
    let texts = [''];
    while (position < pattern.length && pattern[position] !== '|' && pattern[position] !== ')') {
      const next = repeated(atom());
      texts = texts.flatMap((text) => next.map((one) => text + one)).slice(0, MOST_ALTERNATIVES + 1);
    }
    return texts;
  }
  function atom(): string[] {
    const character = pattern[position++]!;
    if (character === '(') {
      if (pattern.startsWith('?:', position)) position += 2;
      const inner = choice();
      position++;
      return inner;
    }
    if (character === '.') return [ANY];
    if (character === '[') {
      const end = pattern.indexOf(']', position + 1);
      const inside = pattern.slice(position, end);
      position = end + 1;
      if (/^(?:\\[a-z]|\s)+$/.test(inside)) return [' '];
      const isOneLetter = /^(.)(.)$/.test(inside) && inside[0]!.toLowerCase() === inside[1]!.toLowerCase();
      return isOneLetter
        ? [inside[0]!]
        : inside.startsWith('^') || inside === '0-9'
          ? [ANY]
          : inside.length < 4
            ? [...inside]
            : [ANY];
    }
    if (character === '\\') {
      const escaped = pattern[position++]!;
      if (escaped === 's' || escaped === 'n') return [' '];
      return /[a-z]/i.test(escaped) ? [ANY] : [escaped];
    }
    return [character];
  }
  function repeated(texts: string[]): string[] {
    const [quantifier] = /^(?:[?*+]|\{\d*,?\d*\})/.exec(pattern.slice(position)) ?? [];
    if (quantifier === undefined) return texts;
    position += quantifier.length;
    const isOpen = texts.length === 1 && (texts[0] === ANY || texts[0] === ' ');
    if (isOpen) return texts[0] === ANY ? [` ${ANY} `] : [' '];
    return quantifier === '+' ? texts : [...texts, ''];
  }

  const texts = [...new Set(choice().map((text) => text.replace(/\s+/g, ' ').trim()))];
  if (position < pattern.length || texts.length > MOST_ALTERNATIVES) return undefined;
  return texts;
}
