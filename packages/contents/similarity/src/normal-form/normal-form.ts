import { type NodeType, READ } from '../syntax/syntax.ts';

/** How the nodes of one grammar are read: per node type one of `READ`, and the symbol it becomes. */
export type NormalForm = { readonly plan: Uint8Array; readonly symbols: Uint32Array };

/** No symbol: the words of the text count, and no token. */
export const WORDS_ALONE = 0;
/** The symbol of every name. */
export const NAME = symbolOf('name');
/** The symbol of every text, character and pattern. */
export const STRING = symbolOf('string');
const NUMBER = symbolOf('number');

// What people, formatters and minifiers write in more than one way without meaning another thing by it.
const WRAPPERS =
  /^(?:program|module|source_file|translation_unit|block|statement_block|statement_list|compound_statement|constructor_body|class_body|else_clause|parenthesized_\w+|concatenated_string|expression_list|string_content|declaration_list)$/;
// Lists of names that every file of a project has, all alike in shape.
const IMPORTS =
  /^(?:import_statement|import_from_statement|future_import_statement|import_declaration|export_clause|use_declaration|extern_crate_declaration|preproc_include|package_clause|package_declaration)$/;
const COMPOUND_NAMES = /^(?:nested|scoped)_/;
const NAMES = /(?:^|_)identifier(?:_pattern)?$/;
const NUMBERS = /^(?:integer|float|number|(?:\w+_)?(?:int|integer|float|floating_point|imaginary|number)_literal)$/;
const STRINGS =
  /^(?:string|(?:raw_|interpreted_)?string_literal|string_fragment|multiline_string_fragment|system_lib_string|char(?:acter)?_literal|rune_literal|regex|jsx_text|preproc_arg)$/;
// Parts of a file that somebody would take by themselves.
const UNITS =
  /^(?:function_(?:expression|declaration|definition|item)|generator_function(?:_declaration)?|arrow_function|method_(?:definition|declaration)|(?:abstract_)?class_declaration|class_definition|class|lambda_expression|(?:compact_)?constructor_declaration|func_literal|closure_expression|impl_item)$/;
const SYNONYMS: Readonly<Record<string, string>> = { lexical_declaration: 'variable_declaration' };
const PUNCTUATION = /^[\s;,.:(){}[\]"'`]*$|^(?:\/\/|\/\*|\*\/|\$\{|->|=>|::)$/;

/**
 * The normal form of a grammar: comments, punctuation, parentheses and blocks are dropped, all names are one symbol and
 * so are all texts and all numbers, so that comments, layout and renaming change nothing.
 */
export function normalFormOf(nodeTypes: readonly NodeType[]): NormalForm {
  const plan = new Uint8Array(nodeTypes.length);
  const symbols = new Uint32Array(nodeTypes.length);
  nodeTypes.forEach((type, id) => {
    [plan[id], symbols[id]] = readingOf(type);
  });
  return { plan, symbols };
}

function readingOf({ name, named }: NodeType): [plan: number, symbol: number] {
  // A keyword says what the node around it says already.
  if (!named) return PUNCTUATION.test(name) || /^[#@\w]+$/.test(name) ? [READ.skip, 0] : [READ.node, symbolOf(name)];
  if (/comment$/.test(name)) return [READ.comment, 0];
  if (name === 'empty_statement') return [READ.skip, 0];
  if (name === 'expression_statement') return [READ.statement, 0];
  if (WRAPPERS.test(name)) return [READ.pass, 0];
  if (IMPORTS.test(name)) return [READ.text, WORDS_ALONE];
  if (NUMBERS.test(name)) return [READ.text, NUMBER];
  if (STRINGS.test(name)) return [READ.text, STRING];
  if (NAMES.test(name) && !COMPOUND_NAMES.test(name)) return [READ.text, NAME];
  if (UNITS.test(name)) return [READ.unit, symbolOf(name)];
  return [READ.node, symbolOf(SYNONYMS[name] ?? name)];
}

/** FNV-1a over the UTF-16 units of a word: the same number for the same word in every grammar. */
function symbolOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index += 1) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
