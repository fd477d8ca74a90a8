import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A test that a page names: its file, and words of its title. */
export type PromisedTest = { readonly path: string; readonly title: string };

/** The tests of a table: a path in backticks and a colon, then titles with a semicolon and a space between them. */
export function promisedTests(page: string): PromisedTest[] {
  return [...page.matchAll(/`([\w./-]+\.test\.ts)`: ([^|\n]+)\|/g)].flatMap(([, path = '', titles = '']) =>
    titles.split('; ').map((title) => ({ path, title: title.trim() })),
  );
}

/** Where docs/security-model.md promises a test that is not there; one sentence each. */
export function promiseProblems(root: string): string[] {
  const name = 'docs/security-model.md';
  const promised = promisedTests(readFileSync(join(root, name), 'utf8'));
  if (promised.length === 0) return [`${name}: it names no tests`];
  return promised.flatMap(({ path, title }) => {
    const file = join(root, path);
    if (!existsSync(file)) return [`${name}: ${path} is not there`];
    return readFileSync(file, 'utf8').includes(title) ? [] : [`${name}: ${path} has no test "${title}"`];
  });
}
