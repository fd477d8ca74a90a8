import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const packages = join(import.meta.dirname, '../../../..');
/** Programs that a next step may call. */
const PROGRAMS = /^(?:colophon|git|gpg|kubectl|npm|crane|unset)\b/;

test('a next step in the sources is a line that can be typed', () => {
  const prose: string[] = [];
  let count = 0;
  for (const file of globSync('*/*/src/**/*.ts', { cwd: packages }).filter((name) => !name.endsWith('.test.ts'))) {
    const text = readFileSync(join(packages, file), 'utf8').replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, '');
    for (const [, , said = ''] of text.matchAll(/\bnext(?:: |\?: string = | = )(['"`])([a-z-][^\n]*?)\1/g)) {
      count += 1;
      if (!PROGRAMS.test(said)) prose.push(`${file}: ${said}`);
    }
  }
  expect(prose).toEqual([]);
  expect(count).toBeGreaterThan(50);
});
