import { GrammarError, loadGrammar } from '@colophon/grammars';
import { READ } from '@colophon/similarity';
import type { CommentSyntax } from '../comment/comment-syntax.ts';
import { type EnclosingText, enclosingTextByLexis, enclosingTextOfSpans } from '../comment/enclosing-text.ts';

/** Nodes into whose middle no comment may be put, by the names that grammars give them. */
const OPAQUE =
  /string|template|comment|heredoc|regex|char_literal|raw_|jsx_(?:element|fragment|self_closing|opening|closing|text)|^preproc_(?:def|function_def|arg|call)$|macro_definition|token_tree/;
/** Names with one of those words that are code nevertheless. */
const OPEN = /^template_(?:substitution|type|literal_type)$|^string_(?:fragment|start|end)$|^preproc_if/;

/**
 * Finds the strings and comments of a file: by its grammar where there is one, else by its language's delimiters; where
 * the grammar cannot read all of it, by both, and where it is too large for that, by the delimiters.
 * @throws GrammarError `grammar.unavailable`
 */
export async function enclosingTextOf(text: string, syntax: CommentSyntax): Promise<EnclosingText> {
  const grammarName = syntax.parser === 'yaml' || syntax.parser === 'toml' ? undefined : syntax.parser;
  if (grammarName === undefined) return enclosingTextByLexis(text, syntax.lexis);
  const grammar = await loadGrammar(grammarName);
  const plan = Uint8Array.from(grammar.nodeTypes, ({ name, named }) => {
    if (!named) return READ.skip;
    return OPAQUE.test(name) && !OPEN.test(name) ? READ.text : READ.pass;
  });
  const parse = () => {
    try {
      return grammar.parse(text, plan);
    } catch (error) {
      // Too long, or too hard: one such file stops no survey.
      if (error instanceof GrammarError) return undefined;
      throw error;
    }
  };
  const parsed = parse();
  if (parsed === undefined) return enclosingTextByLexis(text, syntax.lexis);
  const { starts, ends, unparsed } = parsed;
  const byGrammar = enclosingTextOfSpans(Array.from(starts, (start, i) => [start, ends[i] as number] as const));
  if (unparsed === 0) return byGrammar;
  const byLexis = enclosingTextByLexis(text, syntax.lexis);
  return (offset) => byGrammar(offset) ?? byLexis(offset);
}
