import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const CLI = join(import.meta.dirname, '../..');

test('every table of what was asked belongs to a file of tests: one that is moved takes its table along', () => {
  const tests = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(CLI, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${folder}/${file}`.replaceAll('/', '.').replace(/\.test\.ts$/, '.tsv')),
  );
  const tables = readdirSync(join(import.meta.dirname, 'asked'));
  expect(tables.length).toBeGreaterThan(50);
  expect(tables.filter((table) => !tests.includes(table))).toEqual([]);
});
