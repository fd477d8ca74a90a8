import type { GrammarName } from '../language/language.ts';

/** What a reader of syntax trees does with a node of some type; one number per node type, see `planOfReading`. */
export const READ = {
  /** Neither the node nor what is in it: punctuation. */
  skip: 0,
  /** What is in it alone: parentheses, blocks. */
  pass: 1,
  /** Itself, then what is in it. */
  node: 2,
  /** Itself with its end, then what is in it. */
  statement: 3,
  /** The same of a function or class: a part of the file that is compared by itself. */
  unit: 4,
  /** Itself with its end, and nothing of what is in it: names and literals. */
  text: 5,
  /** The same of a comment, which is no token. */
  comment: 6,
} as const;

/** One type of a grammar's nodes; `named` is false for what the grammar writes as a literal, such as `+`. */
export type NodeType = { readonly name: string; readonly named: boolean };

/** The nodes of a tree that were to be read, in the order of the text. Places are UTF-16 units from the file's start. */
export type Syntax = {
  /** Index into the grammar's node types. */
  readonly types: Uint16Array;
  readonly starts: Uint32Array;
  /** The same as the start for a node whose end was not asked for. */
  readonly ends: Uint32Array;
  /** How much of the text the grammar could make nothing of, 0 to 1. */
  readonly unparsed: number;
};

/** The port to a parser. Errors in the text are tolerated; what it throws is the parser's own. */
export type Grammar = {
  readonly name: GrammarName;
  readonly nodeTypes: readonly NodeType[];
  /** Reads a text; `plan` has one of {@link READ} for each node type. */
  readonly parse: (text: string, plan: Uint8Array) => Syntax;
};
