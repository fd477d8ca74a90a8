import type { XStatic } from 'typebox/schema';
import { alsoHaving, having } from '../record-schema/object-schema.ts';
import type { ReadOnly } from '../record-schema/read-only.ts';

/** The type of what a schema describes. Results are declared as data, and nothing of it is loaded to print one. */
export type ResultOf<S> = ReadOnly<XStatic<S>>;

/**
 * The schema of one command's JSON result: `ok` beside the members that always stand there, and those that may be
 * absent. Names are snake_case; documents of the contract and of others keep their own spelling inside it.
 */
export const resultOf = <const P extends object, const M extends object = Record<never, never>>(
  title: string,
  properties: P,
  optional: M = {} as M,
) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema' as const,
  title,
  ...alsoHaving(having(title, { ok, ...properties }), optional),
});

/** Text of one of these words. */
export const oneOf = <const W extends readonly string[]>(description: string, words: W) => ({
  type: 'string' as const,
  description,
  enum: words,
});

/** True or false. */
export const flag = <const D extends string>(description: D) => ({ type: 'boolean' as const, description });

/** Any text, also none. */
export const string = <const D extends string>(description: D) => ({ type: 'string' as const, description });

/** A document of the contract or of others, in its own spelling. */
export const documentOf = <const D extends string>(description: D) => ({ type: 'object' as const, description });

const ok = flag('whether the command ended with exit code 0');
