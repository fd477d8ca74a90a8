// Writes the tables of docs/other-controllers.md anew, from the verdicts that interop/generated-policies.test.ts is held to
// and from the differences that `colophon admission generate` lists:
//   node tools/docs/other-controllers-page.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DECIDERS, SPEC_VERDICTS, VERDICTS, type Verdict } from '../../interop/admission-verdicts.ts';
import { type GapEntry, KEY_GAPS, RULE_GAPS } from '../../packages/admission/policy/src/generate/gap-table.ts';

const PAGE = 'docs/other-controllers.md';

const TABLES: Readonly<Record<string, () => string>> = {
  verdicts: () => verdictTable(VERDICTS),
  'verdicts of profile spec': () => verdictTable(SPEC_VERDICTS),
  'rules of every policy': () => gapTable(RULE_GAPS, 'Rule'),
  'keys of a policy': () => gapTable(KEY_GAPS, 'Key'),
};

/** The page with its tables as tests and generators have them. @throws Error where it has no place for one */
export function otherControllersPage(root: string): string {
  let page = readFileSync(join(root, PAGE), 'utf8');
  for (const [name, table] of Object.entries(TABLES)) {
    const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
    const [from, to] = [page.indexOf(start), page.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${PAGE} has no place for its table: ${name}`);
    page = `${page.slice(0, from)}${start}\n${table()}\n${page.slice(to)}`;
  }
  return page;
}

function verdictTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ image, admitted }) => [
    image,
    ...DECIDERS.map((decider) => (admitted.includes(decider) ? 'admitted' : 'refused')),
  ]);
  return table(['Image', ...DECIDERS], rows);
}

function gapTable(gaps: Readonly<Record<string, readonly GapEntry[]>>, title: string): string {
  const rows = Object.entries(gaps).flatMap(([key, entries]) =>
    entries.map(({ what, effect, to, profile, reviewed }) => [
      key,
      what,
      to ?? 'both',
      [
        effect === 'admits' ? 'more pass' : 'fewer pass',
        ...(profile === 'spec' ? ['under `profile: spec`'] : []),
        ...(reviewed === false ? ['without a review'] : []),
      ].join(', '),
    ]),
  );
  return table([title, 'Difference', 'Where', 'Effect'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return `${line(head)}|${head.map(() => '---|').join('')}\n${rows.map(line).join('')}`;
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '../..');
  writeFileSync(join(root, PAGE), otherControllersPage(root));
}
