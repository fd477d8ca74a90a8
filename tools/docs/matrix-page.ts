// Writes the table of docs/matrix.md anew, from the cells that interop/matrix.test.ts is held to:
//   node tools/docs/matrix-page.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Cannot,
  KINDS,
  type Kind,
  LOGS,
  type Log,
  PROGRAMS,
  type Program,
  readCannots,
} from '../../interop/matrix-cells.ts';

const PAGE = 'docs/matrix.md';
const TABLE = /<!-- matrix -->\n[\s\S]*?<!-- end of matrix -->/;

/** The page with its table as the cells say that it is. @throws Error where it has no place for the table */
export function matrixPage(root: string, cannots: readonly Cannot[] = readCannots()): string {
  const page = readFileSync(join(root, PAGE), 'utf8');
  if (!TABLE.test(page)) throw new Error(`${PAGE} has no place for its table`);
  return page.replace(TABLE, () => `<!-- matrix -->\n\n${matrixTable(cannots)}\n<!-- end of matrix -->`);
}

/** A row for each signer and kind, a column for each log: who verifies it, and why somebody does not. */
export function matrixTable(cannots: readonly Cannot[]): string {
  const reasons = [...new Set(cannots.map(reasonOf))];
  const noteOf = (cannot: Cannot) => `(${reasons.indexOf(reasonOf(cannot)) + 1})`;
  const cell = (signer: Program, kind: Kind, log: Log) => {
    const here = cannots.filter((one) => one.signer === signer && one.kind === kind && one.log === log);
    const unsigned = here.find(({ verifier }) => verifier === undefined);
    if (unsigned !== undefined) return `not signed ${noteOf(unsigned)}`;
    if (here.length === 0) return 'all';
    return PROGRAMS.map((program) => {
      const refused = here.find(({ verifier }) => verifier === program);
      return refused === undefined ? program : `not ${program} ${noteOf(refused)}`;
    }).join(', ');
  };
  const rows = PROGRAMS.flatMap((signer) =>
    KINDS.map((kind) => `| ${[signer, kind, ...LOGS.map((log) => cell(signer, kind, log))].join(' | ')} |\n`),
  );
  const notes = reasons.map((reason, i) => `- (${i + 1}) ${reason}\n`);
  const head = `| Signed by | Kind | ${LOGS.join(' | ')} |\n|---|---|${LOGS.map(() => '---|').join('')}\n`;
  return `${head}${rows.join('')}${notes.length > 0 ? `\n${notes.join('')}` : ''}`;
}

function reasonOf({ signer, verifier, error }: Cannot): string {
  return `${verifier ?? signer}: \`${error}\``;
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '../..');
  writeFileSync(join(root, PAGE), matrixPage(root));
}
