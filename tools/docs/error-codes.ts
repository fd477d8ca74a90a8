import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const CODE = '[a-z_]+\\.[a-z_0-9]+';
const WHOLE_CODE = new RegExp(`^${CODE}$`);
const LIST = /export const ([A-Z][A-Z_]*_CODES|\w+Error)\b/g;

// Where a literal is a code and not, say, a wire path: a `code:` member, or the first argument of what makes an error.
const USES = [
  new RegExp(`\\bcode:\\s*'(${CODE})'`, 'g'),
  new RegExp(
    `\\b(?:new \\w*Error|\\w*(?:[rR]efus|[iI]ssue|[fF]ail|[pP]roblem|[rR]eject|[eE]rror)\\w*)\\(\\s*'(${CODE})'`,
    'g',
  ),
];

/** The codes of every exported list `…_CODES` and error class in `sources` (paths below `root`), each with its file. */
export async function listedCodes(root: string, sources: readonly string[]): Promise<Map<string, string>> {
  const codes = new Map<string, string>();
  for (const path of sources) {
    const names = [...readFileSync(join(root, path), 'utf8').matchAll(LIST)].map(([, name]) => name!);
    if (names.length === 0) continue;
    const module: Record<string, unknown> = await import(pathToFileURL(join(root, path)).href);
    for (const name of names) {
      const list = (module[name] as { codes?: unknown }).codes ?? module[name];
      // Codes that belong to the APIs of others (`MANIFEST_UNKNOWN`) have another shape, and pages of their own.
      const own = Array.isArray(list) ? list.filter((code) => WHOLE_CODE.test(String(code))) : [];
      for (const code of own) codes.set(code, path);
    }
  }
  return codes;
}

/** Codes that a source text gives out, whether listed or not. */
export function usedCodes(source: string): string[] {
  return USES.flatMap((use) => [...source.matchAll(use)].map(([, code]) => code!));
}

/** Rows of docs/errors.md: a code in backticks, then meaning, place and advice. */
export function documentedCodes(page: string): Array<{ code: string; cells: string[] }> {
  return page.split('\n').flatMap((line) => {
    const [, code, rest] = new RegExp(`^\\| \`(${CODE})\` \\|(.*)\\|\\s*$`).exec(line) ?? [];
    return code === undefined ? [] : [{ code, cells: rest!.split('|').map((cell) => cell.trim()) }];
  });
}

/** Where lists, sources and page disagree, one sentence each. */
export async function errorCodeProblems(root: string, sources: readonly string[]): Promise<string[]> {
  const listed = await listedCodes(root, sources);
  const rows = documentedCodes(readFileSync(join(root, 'docs/errors.md'), 'utf8'));
  const documented = new Set(rows.map(({ code }) => code));
  const problems: string[] = [];
  for (const [code, path] of listed) {
    if (!documented.has(code)) problems.push(`docs/errors.md: no row for ${code} (${path})`);
  }
  rows.forEach(({ code, cells }, index) => {
    if (!listed.has(code)) problems.push(`docs/errors.md: ${code} stands in no list of codes`);
    if (cells.length !== 3 || cells.includes(''))
      problems.push(`docs/errors.md: ${code} needs meaning, place and advice`);
    if (rows.findIndex((row) => row.code === code) !== index) problems.push(`docs/errors.md: ${code} has two rows`);
  });
  for (const path of sources) {
    for (const code of usedCodes(readFileSync(join(root, path), 'utf8'))) {
      if (!listed.has(code)) problems.push(`${path}: ${code} stands in no exported list of codes`);
    }
  }
  return problems;
}
