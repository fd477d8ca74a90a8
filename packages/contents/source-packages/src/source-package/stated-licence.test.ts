import { describe, expect, test } from 'vitest';
import { pomLicence, pomParent } from './pom.ts';
import { licenceTextsOf, statedLicence } from './stated-licence.ts';

const filesOf = (files: Record<string, string>) =>
  Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));

test.each([
  ['package.json', '{"license":"MIT"}', 'MIT'],
  ['package.json', '{"license":{"type":"ISC","url":"x"}}', 'ISC'],
  ['package.json', '{"licenses":[{"type":"MIT"},{"type":"Apache-2.0"}]}', '(MIT OR Apache-2.0)'],
  ['package.json', '{"license":"SEE LICENSE IN LICENSE.txt"}', 'SEE LICENSE IN LICENSE.txt'],
  ['package.json', '{"license":7}', undefined],
  ['package.json', '{', undefined],
  ['package.json', 'null', undefined],
  ['Cargo.toml', '[package]\nname = "a"\nlicense = "MIT/Apache-2.0"\n', 'MIT OR Apache-2.0'],
  ['Cargo.toml', '[dependencies.x]\nlicense = "MIT"\n', undefined],
  ['PKG-INFO', 'Name: a\nLicense-Expression: MIT OR ISC\nLicense: other\n\nbody', 'MIT OR ISC'],
  ['PKG-INFO', 'Name: a\nLicense: MIT\n\nLicense: body', 'MIT'],
  ['PKG-INFO', 'License: UNKNOWN\nClassifier: License :: OSI Approved :: MIT License\n', 'MIT License'],
  [
    'PKG-INFO',
    'License: Copyright (c)\n        all of it\nClassifier: License :: OSI Approved :: BSD License\n',
    'BSD License',
  ],
  [
    'PKG-INFO',
    'Classifier: License :: OSI Approved :: MIT License\nClassifier: License :: OSI Approved :: BSD License\n',
    'MIT License, BSD License',
  ],
  ['a-1.dist-info/METADATA', 'License: MIT\n', 'MIT'],
  ['pyproject.toml', '[project]\nlicense = "MIT"\n', 'MIT'],
  ['pyproject.toml', '[project]\nlicense = {text = "MIT"}\n[tool.x]\nlicense = "no"', 'MIT'],
  ['pom.xml', '<project><licenses><license><name>EPL-2.0</name></license></licenses></project>', 'EPL-2.0'],
])('%s with %j states %s', (path, text, licence) => {
  expect(statedLicence(filesOf({ [path]: text }))).toBe(licence);
});

test('a manifest in a folder inside states nothing', () => {
  expect(statedLicence(filesOf({ 'test/package.json': '{"license":"MIT"}' }))).toBeUndefined();
});

test.each([
  ['LICENSE', true],
  ['LICENCE.md', true],
  ['LICENSE-APACHE', true],
  ['MIT-LICENSE.txt', true],
  ['COPYING', true],
  ['COPYING.LESSER', true],
  ['UNLICENSE', true],
  ['LICENSES/MIT.txt', true],
  ['META-INF/LICENSE', true],
  ['a-1.dist-info/licenses/LICENSE', true],
  ['license.js', false],
  ['LicenseChecker.java', false],
  ['src/LICENSE', false],
  ['README.md', false],
])('%s is a licence text: %s', (path, is) => {
  expect(licenceTextsOf(filesOf({ [path]: 'text' }))).toHaveLength(is ? 1 : 0);
});

describe('a POM', () => {
  test('with several licences offers a choice, and comments say nothing', () => {
    const licence = (name: string) => `<license><name>${name}</name></license>`;
    const pom = `<!-- <licenses>${licence('no')}</licenses> --><licenses>${licence('A &amp; B')}${licence('C')}</licenses>`;
    expect(pomLicence(pom)).toBe('A & B OR C');
  });

  test('names its parent where the coordinates are plain', () => {
    const parent = (version: string) =>
      `<parent><groupId>org.acme</groupId><artifactId>top</artifactId><version>${version}</version></parent>`;
    expect(pomParent(parent('1'))).toEqual({ group: 'org.acme', artifact: 'top', version: '1' });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Maven's own
    expect(pomParent(parent('${revision}'))).toBeUndefined();
    expect(pomParent(parent('../../x'))).toBeUndefined();
  });

  test('of unfinished comments and elements is read in one pass', () => {
    expect(pomLicence('<!--'.repeat(200_000))).toBeUndefined();
    expect(pomLicence('<licenses>'.repeat(200_000))).toBeUndefined();
  });
});
