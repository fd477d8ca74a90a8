import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../names.ts';
import { apiReport } from './api-report.ts';
import { inScope } from './emit.ts';
import { examplesIn } from './examples.ts';
import { LIBRARIES, publishedLibraries, withDependencies } from './libraries.ts';
import { publishedManifest } from './manifest.ts';
import { publishedReadme } from './readme.ts';

const libraries = publishedLibraries(ROOT);
const named = (name: string) => libraries.find((one) => one.name === name)!;
const published = { scope: '@elsewhere', version: '3.2.1' };

describe('what is published', () => {
  test('is the libraries and what they depend on, each after its dependencies', () => {
    const names = libraries.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...LIBRARIES, 'json', 'peer', 'policy-file']));
    for (const { name, siblings } of libraries)
      for (const sibling of siblings) expect(names.indexOf(sibling)).toBeLessThan(names.indexOf(name));
  });

  test('depends on nothing that stays private', () => {
    const names = new Set(libraries.map(({ name }) => name));
    expect(libraries.flatMap(({ siblings }) => siblings).filter((name) => !names.has(name))).toEqual([]);
  });

  test('has the entries that users or other libraries import, not those of our program', () => {
    expect(Object.keys(named('records').entries)).toEqual(['.', './result']);
    expect(Object.keys(named('sigstore').entries)).toEqual(['.']);
  });

  test('is installed with everything that it needs', () => {
    expect(withDependencies(libraries, 'merkle').map(({ name }) => name)).toEqual(['encoding', 'merkle']);
  });
});

describe('the package.json of a library', () => {
  test('has the scope and the version of the release, for its dependencies too', () => {
    const { name, version, dependencies } = publishedManifest(named('policy-file'), published, undefined);
    expect({ name, version, dependencies }).toMatchObject({
      name: '@elsewhere/policy-file',
      version: '3.2.1',
      dependencies: { '@elsewhere/json': '3.2.1', re2js: '2.10.0' },
    });
  });

  test('brings the types of Node where the library uses Node, and only there', () => {
    expect(publishedManifest(named('peer'), published, undefined).dependencies).toHaveProperty('@types/node');
    expect(publishedManifest(named('json'), published, undefined).dependencies).not.toHaveProperty('@types/node');
  });

  test('asks for the Node that the library needs', () => {
    expect(publishedManifest(named('peer'), published, undefined).engines.node).toBe('>=24.15');
    expect(publishedManifest(named('json'), published, undefined).engines.node).toBe('^22.12.0 || >=24.10.0');
  });

  test('has the repository only where it is known', () => {
    expect(publishedManifest(named('json'), published, undefined)).not.toHaveProperty('repository');
    expect(publishedManifest(named('json'), published, 'github:a/b')).toHaveProperty('repository', 'github:a/b');
  });
});

test('the text of a library names the packages of the scope in which it is published', () => {
  expect(inScope("import { a } from '@colophon/json';", '@elsewhere')).toBe("import { a } from '@elsewhere/json';");
});

test('a README says how to install the library, and keeps no link into the repository', () => {
  const readme = '# x\n\nReads [it](../../docs/it.md).\n\nSee [there](https://example.com).\n';
  const page = publishedReadme(readme, { names: ['json', 'x'], node: '>=24.15' }, published);
  expect(page).toContain('npm install ./elsewhere-json-3.2.1.tgz ./elsewhere-x-3.2.1.tgz');
  expect(page).toContain('Reads it.');
  expect(page).toContain('[there](https://example.com)');
});

test('an example is followed by what it prints', () => {
  const page = '```ts run\n// why\n\nconsole.log(1);\n// 1\n```\n```ts\nnot.run();\n```\n';
  expect(examplesIn(page)).toEqual([{ program: '// why\n\nconsole.log(1);\n// 1\n', printed: '1\n' }]);
});

describe('the report of what a library declares', () => {
  const report = (files: Record<string, string>) =>
    apiReport({ files: new Map(Object.entries(files)), sources: [] }, [['x', 'index.d.ts']]);
  const index = "export { one } from './one.js';\n";

  test('shows what a public name leads to, through modules and types of imports', () => {
    const text = report({
      'index.d.ts': index,
      'one.d.ts':
        "import { type Two as Other } from './two.js';\n/** Why. */\nexport declare function one(a: Other): import('./three.js').Three;\n",
      'two.d.ts': "import type { Far } from 'far';\nexport type Two = { far: Far };\n",
      'three.d.ts': 'export interface Three {\n  three: 3;\n}\n',
    });
    expect(text).toContain('/** Why. */\nexport declare function one(');
    expect(text).toContain('export type Two = { far: Far };');
    expect(text).toContain('export interface Three');
    expect(text).toContain("import type { Far } from 'far';");
  });

  test('does not show what no public name leads to', () => {
    const text = report({
      'index.d.ts': index,
      'one.d.ts': 'export declare const one = 1;\nexport declare const hidden = 2;\n',
    });
    expect(text).not.toContain('hidden');
  });

  test('changes with the type of a public name', () => {
    const of = (type: string) => report({ 'index.d.ts': index, 'one.d.ts': `export declare const one: ${type};\n` });
    expect(of('string')).not.toBe(of('number'));
  });

  test('follows a module that hands on everything of another', () => {
    const text = report({
      'index.d.ts': "export * from './one.js';\n",
      'one.d.ts': 'export type A = 1;\nexport type B = 2;\n',
    });
    expect(text).toContain('- `A`\n- `B`\n');
  });

  test('refuses a name that the module does not have', () => {
    expect(() => report({ 'index.d.ts': index, 'one.d.ts': 'export type Two = 2;\n' })).toThrow('does not export one');
  });
});

test('every published package has its declarations committed', () => {
  for (const { name, folder } of libraries)
    expect(readFileSync(join(ROOT, folder, 'api.md'), 'utf8')).toContain(`# What @colophon/${name} declares`);
});
