import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONFIGURATION_PAGES, configurationPage } from './configuration-table.ts';

test.each([...CONFIGURATION_PAGES])('docs/%s has the keys that files are checked with', (name, schema) => {
  const page = readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
  expect(page.match(/^\| `/gm)!.length).toBeGreaterThan(name === 'configuration.md' ? 60 : 25);
  // `node tools/docs/configuration-table.ts` writes it anew.
  expect(configurationPage(page, schema)).toBe(page);
});
