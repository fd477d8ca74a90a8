import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadGrammar } from '@colophon/grammars';
import { encodeMarks, grammarOfPath, type Language, readSource } from '@colophon/similarity';
import { familyOf, isInHalf } from './corpus.ts';

/** Marks that so many families of projects have are common, or so large a share of them. */
const COMMON = { families: 4, share: 0.02 };
const MOST_FILES_PER_PROJECT = 20;
const MOST_BYTES = 200_000;
/** What compilers put into other people's code; all marks of these projects are common. */
const HELPERS = /^(?:tslib|@babel\+runtime|@swc\+helpers)$/;

const HEAD = `/**
 * Marks that many packages have, by language, and those of compilers' helpers. Made by
 * \`npm run calibrate -- --from FOLDER --write-marks\`; docs/similarity.md says of what.
 */
// biome-ignore format: a line for each language
`;

/** The languages whose marks are told apart: JavaScript and TypeScript have theirs in common. */
const FAMILIES: Readonly<Record<string, readonly Language[]>> = {
  javascript: ['javascript', 'typescript'],
  python: ['python'],
  java: ['java'],
  go: ['go'],
  rust: ['rust'],
  c: ['c'],
};

/** The text of common-marks.ts, made of the tuning half of a corpus and of the helpers. */
export async function commonMarksFile(folder: string): Promise<string> {
  const lines: string[] = [];
  for (const [family, languages] of Object.entries(FAMILIES)) {
    const having = new Map<number, Set<string>>();
    const helpers = new Set<number>();
    const families = new Set<string>();
    for (const language of languages) {
      for (const { project, path } of filesOf(join(folder, language))) {
        const source = readSource(await loadGrammar(grammarOfPath(path)!), readFileSync(path, 'utf8'));
        const isHelper = HELPERS.test(project);
        if (isHelper) for (const mark of source.fingerprint.hashes) helpers.add(mark);
        if (isHelper || !isInHalf(project, 'tuning')) continue;
        families.add(familyOf(project));
        for (const mark of new Set(source.fingerprint.hashes)) {
          having.set(mark, (having.get(mark) ?? new Set()).add(familyOf(project)));
        }
      }
    }
    const least = Math.max(COMMON.families, families.size * COMMON.share);
    const common = [...having].filter(([, names]) => names.size >= least).map(([mark]) => mark);
    lines.push(`  ${family}:\n    '${encodeMarks([...common, ...helpers])}',`);
  }
  return `${HEAD}export const COMMON_MARKS = {\n${lines.join('\n')}\n} as const;\n`;
}

function* filesOf(folder: string): Generator<{ readonly project: string; readonly path: string }> {
  for (const project of existsSync(folder) ? readdirSync(folder).sort() : []) {
    for (const file of readdirSync(join(folder, project))
      .sort()
      .slice(0, HELPERS.test(project) ? 1000 : MOST_FILES_PER_PROJECT)) {
      const path = join(folder, project, file);
      if (grammarOfPath(path) !== undefined && readFileSync(path).length <= MOST_BYTES) yield { project, path };
    }
  }
}
