/** Languages whose files can be compared, as `--language` names them. */
export const LANGUAGES = ['javascript', 'typescript', 'python', 'java', 'go', 'rust', 'c'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A grammar reads one language; TypeScript has two, because `<T>x` is a cast in `.ts` and an element in `.tsx`. */
export const GRAMMAR_NAMES = [...LANGUAGES, 'tsx'] as const;
export type GrammarName = (typeof GRAMMAR_NAMES)[number];

const GRAMMAR_BY_EXTENSION: Readonly<Record<string, GrammarName>> = {
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  py: 'python',
  pyi: 'python',
  java: 'java',
  go: 'go',
  rs: 'rust',
  c: 'c',
  h: 'c',
};

/** The grammar for a file by its extension, in any case; undefined where none is known. */
export function grammarOfPath(path: string): GrammarName | undefined {
  const extension = /[^/\\]\.([A-Za-z]{1,4})$/.exec(path)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(GRAMMAR_BY_EXTENSION, extension)
    ? GRAMMAR_BY_EXTENSION[extension]
    : undefined;
}

/** The language that a grammar reads. */
export function languageOfGrammar(grammar: GrammarName): Language {
  return grammar === 'tsx' ? 'typescript' : grammar;
}
