import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { layerProblems } from './check-layers.ts';

function problemsOf(files: Record<string, string>, dependencies: Record<string, Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'layers-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const all: Record<string, string> = { ...files };
  for (const path of Object.keys(files)) {
    const [house, name = ''] = path.split('/');
    if (name === 'package.json') continue;
    all[`${house}/${name}/package.json`] ??= JSON.stringify({
      name: `@colophon/${name}`,
      dependencies: dependencies[name] ?? {},
    });
  }
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(root, 'packages', path)), { recursive: true });
    writeFileSync(join(root, 'packages', path), content);
  }
  return layerProblems(root).join('\n');
}

const ON = (name: string) => ({ [name]: '1.0.0' });

test('a declared import from a lower row is fine, and so is anything of Node’s own', () => {
  const source = "import { a } from '@colophon/merkle';\nimport 'node:fs';\nimport './b.ts';";
  expect(problemsOf({ 'base/store/src/a.ts': source }, { store: ON('@colophon/merkle') })).toBe('');
});

test.each([
  ['from a house above', 'base/store', '@colophon/issuer', /store in base may not import @colophon\/issuer/],
  ['from a house of the same line', 'contents/forge', '@colophon/oidc', /may not import @colophon\/oidc/],
  ['from the same row', 'base/encoding', '@colophon/json', /may not import @colophon\/json/],
  ['from a higher row', 'base/merkle', '@colophon/store', /may not import @colophon\/store/],
  ['from the test kit', 'base/store', '@colophon/testkit', /shipped code imports/],
])('an import %s is refused', (_, path, target, expected) => {
  const name = path.split('/')[1]!;
  expect(problemsOf({ [`${path}/src/a.ts`]: `import '${target}';` }, { [name]: ON(target) })).toMatch(expected);
});

test('types alone may come from a package of types', () => {
  const manifest = JSON.stringify({ name: '@colophon/store', devDependencies: { '@types/sarif': '1.0.0' } });
  const problems = (source: string) =>
    problemsOf({ 'base/store/src/a.ts': source, 'base/store/package.json': manifest });
  expect(problems("import type { Log } from 'sarif';")).toBe('');
  expect(problems("import { Log } from 'sarif';")).toMatch(/sarif is not declared/);
});

test('what package.json does not declare is refused, from npm and from us', () => {
  const problems = problemsOf({ 'base/store/src/a.ts': "import x from 'fastify/types';\nimport '@colophon/records';" });
  expect(problems).toMatch(/fastify is not declared/);
  expect(problems).toMatch(/@colophon\/records is not declared/);
});

test.each([
  ["import {\n  a,\n  type B,\n} from '@colophon/issuer';", true],
  ["export * from '@colophon/issuer';", true],
  ["const later = await import('@colophon/issuer');", true],
  ["import type { A } from '@colophon/issuer/a';", true],
  ["import { a } from '../../issuer/src/index.ts';", true],
  ["import { a } from '../../store/src/b.ts';", false],
  ["const text = `import it from , 'fastify'`;\nfail('taken from', 'fastify');", false],
  ["export function f(from: string) { return from === 'fastify'; }", false],
])('%j names a module: %s', (source, isImport) => {
  expect(problemsOf({ 'base/store/src/a.ts': source }) !== '').toBe(isImport);
});

test('a test may import the test kit and the neighbours', () => {
  expect(problemsOf({ 'base/store/src/a.test.ts': "import '@colophon/testkit';\nimport '@colophon/issuer';" })).toBe(
    '',
  );
});

test('a package without a house, or outside of it, is refused', () => {
  expect(problemsOf({ 'base/stray/src/a.ts': '' })).toMatch(/stands in no house/);
  expect(problemsOf({ 'signing/store/src/a.ts': '' })).toBe('packages/signing/store belongs below packages/base');
  const manifest = JSON.stringify({ name: '@colophon/store' });
  expect(problemsOf({ 'store/package.json': manifest })).toBe('packages/store belongs below packages/base');
});
