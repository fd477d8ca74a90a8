import type { Language, Tree } from 'web-tree-sitter';

/** A tree written down. */
export type TreeShape = {
  /** Equal for two texts that differ in comments and in the white space around tokens alone. */
  readonly shape: string;
  /** The text of each comment, in order. */
  readonly comments: readonly string[];
};

/** Names of nodes that are comments in the seven languages. */
const COMMENT = /(?:^|_)comment$/;

/**
 * Writes a tree down without its comments: each node's type, and the text of its leaves and of whatever stands between
 * them. White space between tokens is left out.
 * @returns undefined for a tree with errors, or with tokens that the parser made up
 */
export function shapeOfTree(tree: Tree, text: string, isComment: Uint8Array): TreeShape | undefined {
  if (tree.rootNode.hasError) return undefined;
  const shape: string[] = [];
  const comments: string[] = [];
  let read = 0;
  const readTo = (offset: number) => {
    if (offset <= read) return;
    const between = text.slice(read, offset).trim();
    if (between !== '') shape.push(between);
    read = offset;
  };
  const cursor = tree.walk();
  try {
    for (let isOpen = true; isOpen; ) {
      const { nodeTypeId, startIndex } = cursor;
      readTo(startIndex);
      if (isComment[nodeTypeId] === 1) {
        const { endIndex } = cursor;
        comments.push(text.slice(startIndex, endIndex));
        read = Math.max(read, endIndex);
      } else {
        shape.push(`(${nodeTypeId}`);
        if (cursor.gotoFirstChild()) continue;
        const { endIndex } = cursor;
        shape.push(JSON.stringify(text.slice(startIndex, endIndex)));
        read = Math.max(read, endIndex);
        shape.push(')');
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) {
          isOpen = false;
          break;
        }
        readTo(cursor.endIndex);
        shape.push(')');
      }
    }
  } finally {
    cursor.delete();
  }
  readTo(text.length);
  return { shape: shape.join('\n'), comments };
}

/** For each node type of a language, 1 where it is a comment. */
export function commentTypes(language: Language): Uint8Array {
  const types = Array.from({ length: language.nodeTypeCount }, (_, id) => language.nodeTypeForId(id) ?? '');
  return Uint8Array.from(types, (type) => (COMMENT.test(type) ? 1 : 0));
}
