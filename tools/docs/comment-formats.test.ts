import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentFormats, PARSER_NAMES } from '@colophon/attribution-comments';
import { expect, test } from 'vitest';

const ROWS: Readonly<Record<(typeof PARSER_NAMES)[number], string>> = {
  javascript: 'JavaScript with JSX',
  typescript: 'TypeScript',
  tsx: 'TypeScript with JSX',
  python: 'Python',
  java: 'Java',
  go: 'Go',
  rust: 'Rust',
  c: 'C',
  yaml: 'YAML',
  toml: 'TOML',
};

test('docs/attribution-comments.md says which files --fix writes, and which it lists only', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/attribution-comments.md'), 'utf8');
  const namesOf = (parser: string | undefined) => {
    const names = commentFormats().filter((one) => one.parser === parser);
    return [...new Set(names.map(({ name }) => `\`${name}\``))].join(' ');
  };
  for (const parser of PARSER_NAMES) expect(page).toContain(`| ${ROWS[parser]} | ${namesOf(parser)} |\n`);
  expect(page).toContain(`\nFiles without a parser are listed only:\n\n${namesOf(undefined)}\n`);
});
