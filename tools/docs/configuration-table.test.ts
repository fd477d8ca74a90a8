import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configurationPage } from './configuration-table.ts';

test('docs/configuration.md has the keys that files are checked with', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  expect(page.match(/^\| `/gm)!.length).toBeGreaterThan(60);
  // `node tools/docs/configuration-table.ts` writes it anew.
  expect(configurationPage(page)).toBe(page);
});
