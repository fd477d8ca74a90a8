import { expect, test } from 'vitest';
import { MANIFEST } from '../names.ts';
import { assertTagOf, changesOf } from './changelog.ts';

const CHANGELOG =
  '# Changelog\n\n## 1.1.0\n\n- second\n\n### Fixed\n\n- more\n\n## 1.0.0\n\n- first\n\n## 0.9.0\n\n## 0.8.0\n\n- oldest\n';

test('the changes of a version end where the section of another version starts', () => {
  expect(changesOf('1.1.0', CHANGELOG)).toBe('- second\n\n### Fixed\n\n- more\n');
  expect(changesOf('1.0.0', CHANGELOG)).toBe('- first\n');
});

test.each(['1.2.0', '1.1', '0.9.0'])('a version of which nothing is said has no release: %s', (version) => {
  expect(() => changesOf(version, CHANGELOG)).toThrow(`"## ${version}"`);
});

test('the changelog has the version that is built', () => {
  expect(changesOf(MANIFEST.version)).not.toBe('');
});

test('only the tag of the version is taken', () => {
  assertTagOf('1.1.0', 'v1.1.0');
  for (const tag of ['1.1.0', 'v1.1.1', 'v1.1.0-rc.1', '']) expect(() => assertTagOf('1.1.0', tag)).toThrow('v1.1.0');
});
