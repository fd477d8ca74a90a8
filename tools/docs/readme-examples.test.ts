import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examplesIn } from '../../release/libraries/examples.ts';
import { publishedLibraries } from '../../release/libraries/libraries.ts';
import { packageFolders } from '../packages.ts';

const ROOT = join(import.meta.dirname, '../..');
const published = new Set(publishedLibraries(ROOT).map(({ name }) => name));
// The programs of published libraries are run where somebody has installed them.
const examples = [...packageFolders(ROOT)]
  .filter(([name]) => !published.has(name))
  .flatMap(([name, folder]) =>
    examplesIn(readFileSync(join(ROOT, folder, 'README.md'), 'utf8')).map(
      (example) => [name, folder, example] as const,
    ),
  );

test('there are such programs', () => expect(examples.length).toBeGreaterThan(5));

test.each(examples)('the program in the README of %s prints what it says', (_, folder, { program, printed }) => {
  const ran = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    cwd: join(ROOT, folder),
    encoding: 'utf8',
  });
  expect([ran.stderr, ran.stdout]).toEqual(['', printed]);
});
