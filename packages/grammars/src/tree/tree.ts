import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { GrammarName } from '@colophon/similarity';
import { Language, Parser, type Tree } from 'web-tree-sitter';
import { GrammarError } from '../grammar-error/grammar-error.ts';
import { onceEach } from '../once-each/once-each.ts';

/** The longest text that is parsed, in UTF-16 units: its tree can take a hundred bytes for each of them. */
export const MOST_TEXT_LENGTH = 4 * 2 ** 20;
/** How long one text may take to parse; that much ordinary source takes about a second. */
const MOST_PARSE_MS = 10_000;

// Written out, so that who looks for unused dependencies finds them.
const LOCATE: Readonly<Record<GrammarName, () => string>> = {
  javascript: () => import.meta.resolve('tree-sitter-javascript/tree-sitter-javascript.wasm'),
  typescript: () => import.meta.resolve('tree-sitter-typescript/tree-sitter-typescript.wasm'),
  tsx: () => import.meta.resolve('tree-sitter-typescript/tree-sitter-tsx.wasm'),
  python: () => import.meta.resolve('tree-sitter-python/tree-sitter-python.wasm'),
  java: () => import.meta.resolve('tree-sitter-java/tree-sitter-java.wasm'),
  go: () => import.meta.resolve('tree-sitter-go/tree-sitter-go.wasm'),
  rust: () => import.meta.resolve('tree-sitter-rust/tree-sitter-rust.wasm'),
  c: () => import.meta.resolve('tree-sitter-c/tree-sitter-c.wasm'),
};

let started: Promise<void> | undefined;

/**
 * Loads a language once per process.
 * @throws GrammarError `grammar.unavailable`
 */
export const loadTreeLanguage: (name: GrammarName) => Promise<Language> = onceEach(load);

async function load(name: GrammarName): Promise<Language> {
  try {
    started ??= Parser.init();
    await started;
    return await Language.load(await readFile(fileURLToPath(LOCATE[name]())));
  } catch (cause) {
    throw new GrammarError('grammar.unavailable', `the grammar of ${name} cannot be loaded`, { cause });
  }
}

/**
 * Parses a text and gives its memory back after `use`.
 * @throws GrammarError `grammar.too_large`, `grammar.too_slow`
 */
export function withTree<T>(language: Language, text: string, use: (tree: Tree) => T): T {
  if (text.length > MOST_TEXT_LENGTH) {
    throw new GrammarError('grammar.too_large', `${text.length} characters, and at most ${MOST_TEXT_LENGTH} are read`);
  }
  const deadline = performance.now() + MOST_PARSE_MS;
  // Its memory is not the garbage collector's; a parser for each text also forgets what a cancelled one was doing.
  const parser = new Parser();
  let tree: Tree | null = null;
  try {
    parser.setLanguage(language);
    tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
    if (tree === null) {
      throw new GrammarError('grammar.too_slow', `not read after ${MOST_PARSE_MS / 1000} seconds`);
    }
    return use(tree);
  } finally {
    tree?.delete();
    parser.delete();
  }
}
