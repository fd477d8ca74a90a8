import { expect, test } from 'vitest';
import { nameInPurl, versionInPurl, withRange } from './purl-version.ts';

test('a range stands in the qualifier that the standard has for it, and takes the place of the version', () => {
  expect(withRange('pkg:npm/left-pad@1.0.0?arch=x#sub', 'vers:npm/>=1|<2')).toBe(
    'pkg:npm/left-pad?arch=x&vers=vers%3Anpm%2F%3E%3D1%7C%3C2#sub',
  );
});

test('name and version are decoded where they can be', () => {
  expect(nameInPurl('pkg:npm/%40acme/left-pad@1')).toBe('left-pad');
  expect(nameInPurl('pkg:npm/a%2Fb@1')).toBe('a/b');
  expect(nameInPurl('pkg:npm/a%zz')).toBe('a%zz');
  expect(nameInPurl('pkg:npm')).toBeUndefined();
  expect(versionInPurl('pkg:npm/a')).toBeUndefined();
  expect(versionInPurl('pkg:npm/a@')).toBeUndefined();
});
