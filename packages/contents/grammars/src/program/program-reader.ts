import type { ParserName, ProgramReader } from '@colophon/sbom';
import { GrammarError } from '../grammar-error/grammar-error.ts';
import { onceEach } from '../once-each/once-each.ts';
import { loadTreeLanguage, MOST_TEXT_LENGTH, withTree } from '../tree/tree.ts';
import { commentTypes, shapeOfTree } from './tree-shape.ts';

/**
 * Loads the reader of a language once per process. A text that is too long or too slow to read is one that it cannot
 * read; so is one with any error in it.
 * @throws GrammarError `grammar.unavailable`
 */
export const loadProgramReader: (name: ParserName) => Promise<ProgramReader> = onceEach(load);

async function load(name: ParserName): Promise<ProgramReader> {
  // The mark says how the bytes are to be read; it is no part of what is read.
  const bare = (text: string) => text.replace(/^\ufeff/, '');
  if (name === 'yaml') {
    const { readYaml } = await import('./yaml-shape.ts');
    return (text) => (text.length > MOST_TEXT_LENGTH ? undefined : readYaml(bare(text)));
  }
  if (name === 'toml') {
    const { readToml } = await import('./toml-shape.ts');
    return (text) => (text.length > MOST_TEXT_LENGTH ? undefined : readToml(bare(text)));
  }
  const language = await loadTreeLanguage(name);
  const isComment = commentTypes(language);
  return (text) => {
    try {
      const program = bare(text);
      return withTree(language, program, (tree) => shapeOfTree(tree, program, isComment));
    } catch (error) {
      if (error instanceof GrammarError) return undefined;
      throw error;
    }
  };
}
