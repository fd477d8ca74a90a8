// Writes the tables of docs/errors.md anew, from the sentences that stand beside the lists of codes:
//   node tools/docs/error-page.ts
// Beside `log-error.ts` stands `log-error.codes.md`, with a row for each of its codes. On the page the comment
// `<!-- codes: PATH -->` says which file's rows come after it; `PATH#Title` means those below that title alone.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Answers, answersOfCodes } from './answers-of-codes.ts';
import { documentedCodes, listedCodes } from './error-codes.ts';
import { packageSources } from './tracked-files.ts';

const PAGE = 'docs/errors.md';
const HEAD = '| Code | Meaning | Where | What to do |\n|---|---|---|---|\n';
const TABLE = /^<!-- codes: ([^>]+) -->\n\n(?:\|.*\n)*/gm;

/** The page as the sentences and the code say that it is. */
export async function errorPage(root: string): Promise<string> {
  const sources = packageSources(root);
  const answers = answersOfCodes(root, sources, (await listedCodes(root, sources)).keys());
  return readFileSync(join(root, PAGE), 'utf8').replaceAll(TABLE, (_table, places: string) => {
    const rows = places.split(', ').flatMap((place) => documentedCodes(sentencesAt(root, place)));
    const lines = rows.map(({ code, cells: [meaning = '', words = '', advice = ''] }) => {
      const cells = [`\`${code}\``, meaning, placeOf(words, answers.get(code)), advice];
      return `| ${cells.join(' | ')} |\n`;
    });
    return `<!-- codes: ${places} -->\n\n${HEAD}${lines.join('')}`;
  });
}

/** The rows of a file of sentences, or of one title in it. */
function sentencesAt(root: string, place: string): string {
  const [path = '', title] = place.split('#');
  // Links lead from where they are read.
  const text = readFileSync(join(root, path), 'utf8').replaceAll(
    /\]\((?!https?:)([^)#]+)/g,
    (_link, to: string) =>
      `](${join(dirname(path), to) === PAGE ? '' : relative(dirname(PAGE), join(dirname(path), to))}`,
  );
  if (title === undefined) return text;
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`${path}: no part is called ${title}`);
  return section;
}

/** Where a code is seen: in the words beside it, and where those have no number, with the exits and statuses it has. */
function placeOf(words: string, { exits, statuses }: Answers = { exits: [], statuses: [] }): string {
  if (/\d/.test(words)) return words;
  const exit = exits.length === 0 ? [] : [`exit ${exits.join(' or ')}`];
  return [...(words === '' ? [] : [words]), ...statuses, ...exit].join(', ');
}

/** Files of sentences that stand beside no list of codes, or that the page does not show. */
export function sentenceProblems(root: string, files: readonly string[]): string[] {
  const page = readFileSync(join(root, PAGE), 'utf8');
  return files
    .filter((path) => path.endsWith('.codes.md'))
    .filter((path) => !page.includes(path) || !files.includes(path.replace(/\.codes\.md$/, '.ts')))
    .map((path) => `${path}: no list of codes stands beside it, or ${PAGE} does not show it`);
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '../..');
  writeFileSync(join(root, PAGE), await errorPage(root));
}
