import type { GrammarName } from '@colophon/similarity';
import { GrammarError } from '../grammar-error/grammar-error.ts';
import { onceEach } from '../once-each/once-each.ts';
import { loadTreeLanguage, withTree } from '../tree/tree.ts';
import { commentTypes, shapeOfTree, type TreeShape } from './tree-shape.ts';

/** Answers undefined for a text that is too long or too slow to read, and for one with any error in it. */
type ShapeReader = (text: string) => TreeShape | undefined;

/**
 * Loads what reads the shape of programs in a language, once per process.
 * @throws GrammarError `grammar.unavailable`
 */
export const loadShapeReader: (name: GrammarName) => Promise<ShapeReader> = onceEach(load);

async function load(name: GrammarName): Promise<ShapeReader> {
  const language = await loadTreeLanguage(name);
  const isComment = commentTypes(language);
  return (text) => {
    try {
      return withTree(language, text, (tree) => shapeOfTree(tree, text, isComment));
    } catch (error) {
      if (error instanceof GrammarError) return undefined;
      throw error;
    }
  };
}
