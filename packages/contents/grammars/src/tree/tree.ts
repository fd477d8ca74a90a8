import { readAsset } from '@colophon/assets';
import type { GrammarName } from '@colophon/similarity';
import { Language, Parser, type Tree } from 'web-tree-sitter';
import { GrammarError } from '../grammar-error/grammar-error.ts';
import { onceEach } from '../once-each/once-each.ts';
import { GRAMMAR_ASSETS, PARSER_ASSET } from './grammar-assets.ts';

/** The longest text that is parsed, in UTF-16 units: its tree can take a hundred bytes for each of them. */
export const MOST_TEXT_LENGTH = 4 * 2 ** 20;
/** How long one text may take to parse; that much ordinary source takes about a second. */
const MOST_PARSE_MS = 10_000;

let started: Promise<void> | undefined;

/**
 * Loads a language once per process.
 * @throws GrammarError `grammar.unavailable`
 */
export const loadTreeLanguage: (name: GrammarName) => Promise<Language> = onceEach(load);

async function load(name: GrammarName): Promise<Language> {
  try {
    started ??= Parser.init({ wasmBinary: readGrammarAsset(PARSER_ASSET) });
    await started;
    return await Language.load(readGrammarAsset(GRAMMAR_ASSETS[name]));
  } catch (cause) {
    throw new GrammarError('grammar.unavailable', `the grammar of ${name} cannot be loaded`, { cause });
  }
}

function readGrammarAsset(name: string): Uint8Array {
  return readAsset(name, () => import.meta.resolve(name));
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
