import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createBomValidator } from '../src/index.ts';
import { readOfficialSchema } from './official-schemas.ts';

/** Collected test files; not part of this repository. */
const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data');
const CORPUS = join(DATA, 'cdx-conformance');
const validator = createBomValidator(readOfficialSchema);

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort();
}

describe.skipIf(!existsSync(CORPUS))('the official corpus', () => {
  test.each(filesIn(CORPUS))('%s is decided as its name says', (name) => {
    const { valid, issues } = validator.validateBytes(readFileSync(join(CORPUS, name)));
    const errors = issues.filter(({ severity }) => severity === 'error');
    expect([valid, errors.length === 0]).toEqual(name.includes('invalid') ? [false, false] : [true, true]);
  });

  test.each(filesIn(CORPUS).filter((name) => !name.includes('invalid')))(
    '%s is valid for the profile spec, too',
    (name) => {
      expect(validator.validateBytes(readFileSync(join(CORPUS, name)), { profile: 'spec' }).valid).toBe(true);
    },
  );
});

describe.each(['sbom', 'sbom-small'])('real documents in %s', (folder) => {
  const files = filesIn(join(DATA, folder));

  test.skipIf(files.length === 0)('none crashes, and everything that is said has its line', () => {
    for (const name of files) {
      const { issues, document } = validator.validateBytes(readFileSync(join(DATA, folder, name)));
      expect([name, document?.bomFormat]).toEqual([name, 'CycloneDX']);
      for (const issue of issues) expect({ name, ...issue }).toMatchObject({ line: expect.any(Number) });
    }
  });
});
