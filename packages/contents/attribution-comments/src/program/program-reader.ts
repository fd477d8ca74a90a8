import { loadShapeReader, MOST_TEXT_LENGTH } from '@colophon/grammars';
import type { ParserName } from '../comment/comment-syntax.ts';
import type { ProgramReader } from '../comment/program-reading.ts';

/**
 * Loads the reader of a language. A text that is too long or too slow to read is one that it cannot read; so is one
 * with any error in it.
 * @throws GrammarError `grammar.unavailable`
 */
export async function loadProgramReader(name: ParserName): Promise<ProgramReader> {
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
  const readShape = await loadShapeReader(name);
  return (text) => readShape(bare(text));
}
