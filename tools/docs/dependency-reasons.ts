import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders } from '../packages.ts';

/** The page with a row for each dependency. */
export const REASONS_PAGE = 'docs/decisions/0003-runtime-dependencies.md';

type Manifest = { [kind in 'dependencies' | 'devDependencies' | 'optionalDependencies']?: Record<string, string> };

/** A dependency from outside this repository and who declares it: package names, or `the repository`. */
export type Dependency = {
  readonly name: string;
  readonly usedBy: readonly string[];
  readonly versions: readonly string[];
};

const KINDS = ['dependencies', 'optionalDependencies', 'devDependencies'] as const;

/** Every dependency that a package.json under `root` declares, sorted by name. */
export function declaredDependencies(root: string): Dependency[] {
  const found = new Map<string, { usedBy: string[]; versions: string[] }>();
  for (const [user, folder] of [...packageFolders(root), ['the repository', '.'] as const]) {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    for (const kind of KINDS) {
      for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
        if (name.startsWith('@colophon/')) continue;
        const entry = found.get(name) ?? { usedBy: [], versions: [] };
        found.set(name, entry);
        entry.usedBy.push(user);
        entry.versions.push(version);
      }
    }
  }
  return [...found].map(([name, entry]) => ({ name, ...entry })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Rows of the page: dependency in backticks, who uses it, why. */
export function reasonRows(page: string): Array<{ name: string; usedBy: string; why: string }> {
  return page.split('\n').flatMap((line) => {
    const [, name, usedBy, why] = /^\| `([^`]+)` \|([^|]*)\|(.*)\|\s*$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, usedBy: usedBy!.trim(), why: why!.trim() }];
  });
}

/** The page with the second column as the package.json files have it; rows that are missing or left over stay so. */
export function withUsers(page: string, declared: readonly Dependency[]): string {
  return page.replace(/^\| `([^`]+)` \|[^|]*\|/gm, (row, name: string) => {
    const dependency = declared.find((one) => one.name === name);
    return dependency === undefined ? row : `| \`${name}\` | ${dependency.usedBy.join(', ')} |`;
  });
}

/** Where the page and the package.json files disagree, or a version is not exact, one sentence each. */
export function dependencyProblems(root: string): string[] {
  const declared = declaredDependencies(root);
  const rows = reasonRows(readFileSync(join(root, REASONS_PAGE), 'utf8'));
  const problems: string[] = [];
  for (const { name, usedBy, versions } of declared) {
    if (new Set(versions).size > 1) problems.push(`${name} is declared in several versions: ${versions.join(', ')}`);
    if (!versions.every((version) => /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))) {
      problems.push(`${name} has no exact version: ${versions.join(', ')}`);
    }
    const row = rows.find((candidate) => candidate.name === name);
    if (row === undefined) problems.push(`${REASONS_PAGE}: no row for ${name} (${usedBy.join(', ')})`);
    else if (row.usedBy !== usedBy.join(', ')) {
      problems.push(`${REASONS_PAGE}: ${name} is used by ${usedBy.join(', ')}, the row says ${row.usedBy}`);
    } else if (row.why === '') problems.push(`${REASONS_PAGE}: ${name} has no reason`);
  }
  for (const { name } of rows) {
    if (!declared.some((dependency) => dependency.name === name)) {
      problems.push(`${REASONS_PAGE}: ${name} is no dependency any more`);
    }
  }
  return problems;
}

// Run by itself it brings the second column up to date; reasons are for people to write.
if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const page = join(root, REASONS_PAGE);
  writeFileSync(page, withUsers(readFileSync(page, 'utf8'), declaredDependencies(root)));
}
