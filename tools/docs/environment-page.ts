import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageSources } from './tracked-files.ts';

export type VariableRow = { readonly names: readonly string[]; readonly meaning: string };

/** The rows of variables on a page: those whose first cell is made of names alone. */
export function variableRows(markdown: string): VariableRow[] {
  return [...markdown.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (.+) \|$/gm)].map(([, names = '', meaning = '']) => ({
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
    meaning,
  }));
}

const READ = /\benv(?:\.|\[')(\w+)\b|\{ ([A-Z]\w+)(?:: \w+)? \}: NodeJS\.ProcessEnv/g;
/** Names that are read through a constant or a parameter. */
const NAMED = /'((?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+|npm_config_\w+)'/g;
const OURS = /^(?:COLOPHON|SIGSTORE|COSIGN)_/;

/** Every variable that a source text reads: by its name, or as a word in capitals beside other variables. */
export function variablesRead(text: string): string[] {
  const read = [...text.matchAll(READ)]
    .map(([, name, taken]) => (name ?? taken) as string)
    .filter((name) => /^[A-Z]|^\w+_/.test(name));
  const named = [...text.matchAll(NAMED)].map(([, name]) => name as string);
  const readsByName = /\benv\[(?!')|\bvariable\(env\b|\bprocess\.env\b/i.test(text);
  return [...new Set([...read, ...named.filter((name) => readsByName || OURS.test(name))])];
}

/** Every variable that the program reads, by the file that reads it. */
export function programVariables(root: string): ReadonlyMap<string, string> {
  return new Map(
    packageSources(root).flatMap((path) =>
      variablesRead(readFileSync(join(root, path), 'utf8')).map((name) => [name, path] as const),
    ),
  );
}
