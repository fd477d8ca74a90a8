export { loadGrammar, MOST_TEXT_LENGTH } from './grammar/grammar.ts';
export { GRAMMAR_ERROR_CODES, GrammarError, type GrammarErrorCode } from './grammar-error/grammar-error.ts';
