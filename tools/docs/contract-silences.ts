/** How often each section of the contract leaves something open; each time has a row in docs/spec-decisions.md. */
export const SILENCES: Readonly<Record<string, number>> = {
  '§1': 1,
  '§2.1': 2,
  '§2.3': 1,
  '§3': 1,
  '§4.1': 3,
  '§4.4': 1,
  '§5.6': 1,
  '§6': 1,
  '§7': 1,
  '§8': 1,
  '§9': 1,
};

/** Sections with fewer rows in the first table of docs/spec-decisions.md than silences, and rows with an empty cell. */
export function silenceProblems(page: string): string[] {
  const [firstTable = ''] = page.split(/^## /m);
  const rows = firstTable.split('\n').flatMap((line) => {
    const [, section, rest] = /^\| (§[\d.]+) \|(.*)\|\s*$/.exec(line) ?? [];
    return section === undefined ? [] : [{ section, cells: rest!.split('|').map((cell) => cell.trim()) }];
  });
  const problems = Object.entries(SILENCES).flatMap(([section, count]) => {
    const found = rows.filter((row) => row.section === section).length;
    return found >= count ? [] : [`docs/spec-decisions.md: ${found} of ${count} rows for ${section}`];
  });
  for (const { section, cells } of rows) {
    if (cells.length !== 5 || cells.includes('')) {
      problems.push(`docs/spec-decisions.md: a row of ${section} needs silence, choice, reason, state and place`);
    }
  }
  return problems;
}
