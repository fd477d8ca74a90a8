import { fingerprintOf } from '../fingerprint/fingerprint.ts';
import { type Language, languageOfGrammar } from '../language/language.ts';
import type { Fingerprinted } from '../matching/matching.ts';
import { type NormalForm, normalFormOf } from '../normal-form/normal-form.ts';
import type { Grammar } from '../syntax/syntax.ts';
import { tokenStreamOf } from '../token-stream/token-stream.ts';

/** A source file as comparisons need it; some 20 bytes for each of its tokens, and nothing of its text. */
export type Source = Fingerprinted & {
  readonly language: Language;
  /** How much of the text the grammar could make nothing of, 0 to 1. */
  readonly unparsed: number;
};

const forms = new WeakMap<Grammar, NormalForm>();

/** Reads a file for comparison. Throws what the grammar's parser throws. */
export function readSource(grammar: Grammar, text: string): Source {
  let form = forms.get(grammar);
  if (form === undefined) {
    form = normalFormOf(grammar.nodeTypes);
    forms.set(grammar, form);
  }
  const syntax = grammar.parse(text, form.plan);
  const stream = tokenStreamOf(syntax, text, form);
  return {
    ...stream,
    fingerprint: fingerprintOf(stream.symbols),
    language: languageOfGrammar(grammar.name),
    unparsed: syntax.unparsed,
  };
}
