import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFolders } from './packages.ts';

const ROOT = join(import.meta.dirname, '..');
type Manifest = { readonly name: string; readonly dependencies?: Readonly<Record<string, string>> };
const users = [...packageFolders(ROOT).values()]
  .map((folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest)
  .filter(({ dependencies = {} }) => 'typebox' in dependencies)
  .map(({ name }) => name);

// Another process: here the tests of the schemas load it.
const LIST_LOADED = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  for (const name of process.argv.slice(1)) await import(name);
  console.log(JSON.stringify(urls));
`;

test('packages take types from TypeBox, and load nothing of it', () => {
  expect(users).toContain('@colophon/records');
  const options = { cwd: ROOT, encoding: 'utf8' } as const;
  const loaded: string[] = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', LIST_LOADED, ...users], options),
  );
  expect(loaded.filter((url) => url.includes('/records/src/')).length).toBeGreaterThan(10);
  expect(loaded.filter((url) => url.includes('typebox'))).toEqual([]);
});
