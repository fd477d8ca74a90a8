export { enclosingTextOf } from './enclosing-text/enclosing-text.ts';
export { loadGrammar } from './grammar/grammar.ts';
export { GrammarError } from './grammar-error/grammar-error.ts';
export { loadProgramReader } from './program/program-reader.ts';
export { MOST_TEXT_LENGTH } from './tree/tree.ts';
