import { compileSubjectPattern } from './subject-pattern.ts';

const MOST_SAMPLES = 64;

/**
 * Some of the subjects that a pattern accepts, each tried: alternatives are written out, and what may be anything is one
 * letter. None where the pattern is of another kind; at most 64.
 */
export function sampleSubjects(pattern: string): string[] {
  const compiled = compileSubjectPattern(pattern);
  if (!compiled.ok) return [];
  const { texts } = alternatives(pattern.replace(/^\^/, '').replace(/\$$/, ''), 0);
  return [...new Set(texts)].filter((text) => compiled.matches(text));
}

type Sampled = { readonly texts: string[]; readonly end: number };

/** What stands between two parentheses, or in the whole pattern. */
function alternatives(pattern: string, from: number): Sampled {
  const all: string[] = [];
  let texts = [''];
  let at = from;
  while (at < pattern.length && pattern[at] !== ')') {
    if (pattern[at] === '|') {
      all.push(...texts);
      texts = [''];
      at += 1;
      continue;
    }
    const atom = atomAt(pattern, at);
    const [quantifier = ''] = /^(?:[*+?]|\{\d+(?:,\d*)?\})?\??/.exec(pattern.slice(atom.end)) ?? [];
    texts = texts.flatMap((text) => atom.texts.map((one) => text + one)).slice(0, MOST_SAMPLES);
    at = atom.end + quantifier.length;
  }
  return { texts: [...all, ...texts].slice(0, MOST_SAMPLES), end: at };
}

function atomAt(pattern: string, at: number): Sampled {
  const character = pattern[at] as string;
  if (character === '(') {
    const [opening = '('] = /^\((?:\?(?:[a-z]*:|P?<\w+>))?/.exec(pattern.slice(at)) ?? [];
    const { texts, end } = alternatives(pattern, at + opening.length);
    return { texts, end: end + 1 };
  }
  if (character === '[') {
    const [set = '['] = /^\[\^?\]?(?:\\.|[^\]\\])*\]?/.exec(pattern.slice(at)) ?? [];
    // A dot is often written as `[.]`.
    const alone = /^\[\\?([.@:/_-])\]$/.exec(set)?.[1];
    const [first = alone ?? 'q'] = /[a-z0-9]/i.exec(set) ?? [];
    return { texts: [first], end: at + set.length };
  }
  if (character === '\\') {
    const escaped = pattern[at + 1] ?? '';
    return { texts: [/\w/.test(escaped) ? (escaped === 'd' ? '7' : 'q') : escaped], end: at + 2 };
  }
  return { texts: [character === '.' ? 'q' : character], end: at + 1 };
}
