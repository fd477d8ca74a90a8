import { loadGrammar } from '@colophon/grammars';
import { compareSources, type Grammar, grammarOfPath, type Language, READ, readSource } from '@colophon/similarity';
import type { CorpusFile, CorpusHalf } from './corpus.ts';
import { createDice } from './dice.ts';

/** A function that was pasted into a larger file of another project. */
export type Pasted = {
  readonly how: 'verbatim' | 'renamed';
  readonly tokens: number;
  readonly runs: number;
  readonly words: number;
  readonly from: string;
  readonly into: string;
};

/** So many functions are pasted in each language. */
export const PASTED_FUNCTIONS = 120;
const FEWEST_TOKENS = 50;
/** The file that a function is pasted into has at least so many tokens. */
const LARGE_FILE_TOKENS = 300;
const MOST_TRIES = 20_000;

const FUNCTIONS: Readonly<Record<Language, readonly string[]>> = {
  javascript: ['function_declaration'],
  typescript: ['function_declaration'],
  python: ['function_definition'],
  java: ['method_declaration'],
  go: ['function_declaration', 'method_declaration'],
  rust: ['function_item'],
  c: ['function_definition'],
};

/** Takes functions of files by chance, pastes each into a file of another project, as it is and with all names changed, and compares. */
export async function pasteFunctions({ files, projects }: CorpusHalf, language: Language): Promise<Pasted[]> {
  const pasted: Pasted[] = [];
  const dice = createDice(3);
  const larger = files.filter(({ source }) => source.symbols.length >= LARGE_FILE_TOKENS);
  if (projects < 2 || larger.length === 0) return [];
  for (let tries = 0; tries < MOST_TRIES && pasted.length < PASTED_FUNCTIONS * 2; tries += 1) {
    const [a, b] = [files[dice(files.length)]!, larger[dice(larger.length)]!];
    const grammar = await loadGrammar(grammarOfPath(a.path)!);
    if (a.project === b.project || grammarOfPath(a.path) !== grammarOfPath(b.path)) continue;
    const functions = functionsOf(grammar, language, a);
    const text = functions[dice(Math.max(functions.length, 1))];
    if (text === undefined) continue;
    const tokens = readSource(grammar, inClass(language, text)).symbols.length;
    if (tokens < FEWEST_TOKENS) continue;
    for (const [how, changed] of [
      ['verbatim', text],
      ['renamed', renamed(grammar, language, text)],
    ] as const) {
      const { measured } = compareSources(a.source, readSource(grammar, pastedInto(language, b.text, changed)));
      pasted.push({ how, tokens, ...measured, from: a.path, into: b.path });
    }
  }
  return pasted;
}

/** The functions of a file that can stand at the end of another one. */
function functionsOf(grammar: Grammar, language: Language, { text }: CorpusFile): string[] {
  const found = textsOf(grammar, text, (name) => FUNCTIONS[language].includes(name));
  const isAtTheTop = (start: number) => start === 0 || text[start - 1] === '\n';
  return found.filter(({ start }) => language !== 'python' || isAtTheTop(start)).map((one) => one.text);
}

/** The text with another name for each name, functions and members of others too. */
function renamed(grammar: Grammar, language: Language, text: string): string {
  const whole = inClass(language, text);
  const offset = whole.indexOf(text);
  const isName = (name: string) => /(?:^|_)identifier(?:_pattern)?$/.test(name) && !/^(?:nested|scoped)_/.test(name);
  const names = new Map<string, string>();
  let result = '';
  let done = offset;
  for (const { start, end, text: name } of textsOf(grammar, whole, isName)) {
    if (start < done || end > offset + text.length || !/^[A-Za-z_$][\w$]*$/.test(name)) continue;
    names.set(name, names.get(name) ?? `n${names.size}q`);
    result += whole.slice(done, start) + names.get(name)!;
    done = end;
  }
  return result + whole.slice(done, offset + text.length);
}

function textsOf(grammar: Grammar, text: string, isWanted: (name: string) => boolean) {
  const plan = Uint8Array.from(grammar.nodeTypes, ({ name, named }) => {
    if (!named) return READ.skip;
    return isWanted(name) ? READ.text : READ.pass;
  });
  const { starts, ends } = grammar.parse(text, plan);
  return Array.from(starts, (start, index) => ({ start, end: ends[index]!, text: text.slice(start, ends[index]!) }));
}

/** A method stands alone nowhere. */
function inClass(language: Language, text: string): string {
  return language === 'java' ? `class Pasted {\n${text}\n}` : text;
}

function pastedInto(language: Language, file: string, text: string): string {
  if (language !== 'java') return `${file}\n${text}\n`;
  const end = file.lastIndexOf('}');
  return `${file.slice(0, end)}\n${text}\n${file.slice(end)}`;
}
