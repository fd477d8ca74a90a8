/** A pattern as Ajv asks for it. */
export type Pattern = { test(text: string): boolean; toString(): string };

/** `^([0-9a-f]{32}|[0-9a-f]{40}|…)$`: characters of one class, in one of several lengths. */
const LENGTHS_OF_ONE_CLASS = /^\^\((\[[^\]\\]+\])\{\d+\}(?:\|\1\{\d+\})+\)\$$/;

/**
 * A pattern of a schema. One that only lists lengths of one class, as that of hashes does, is decided by the length first:
 * the engine would try one length after the other, a third of the time that a whole document takes.
 */
export function schemaPattern(pattern: string, flags: string): Pattern {
  const [, characters] = LENGTHS_OF_ONE_CLASS.exec(pattern) ?? [];
  if (characters === undefined) return new RegExp(pattern, flags);
  const lengths = new Set([...pattern.matchAll(/\{(\d+)\}/g)].map(([, length]) => Number(length)));
  const all = new RegExp(`^${characters}*$`, flags);
  return { test: (text) => lengths.has(text.length) && all.test(text), toString: () => pattern };
}
// How Ajv would write it into a module of its own, which is not done here.
schemaPattern.code = 'new RegExp';
