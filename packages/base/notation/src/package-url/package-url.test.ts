import fc from 'fast-check';
import { PackageURL } from 'packageurl-js';
import { expect, test } from 'vitest';
import { parsePackageUrl, withVersion } from './package-url.ts';

const NOTHING = { namespace: [], qualifiers: [], subpath: [] };

test.each([
  ['pkg:npm/left-pad@1.3.0', { type: 'npm', name: 'left-pad', version: '1.3.0' }],
  ['PKG://NPM/left-pad', { type: 'npm', name: 'left-pad' }],
  ['pkg:npm/%40scope/name@1', { type: 'npm', namespace: ['@scope'], name: 'name', version: '1' }],
  ['pkg:npm/@scope/name@1', { type: 'npm', namespace: ['@scope'], name: 'name', version: '1' }],
  ['pkg:npm/@scope/name', { type: 'npm', namespace: ['@scope'], name: 'name' }],
  ['pkg:npm/@scope', { type: 'npm', name: '@scope' }],
  ['pkg:npm/a@', { type: 'npm', name: 'a' }],
  ['pkg:github/a/b@main/fix', { type: 'github', namespace: ['a'], name: 'b', version: 'main/fix' }],
  ['pkg:golang/a//b/@v1', { type: 'golang', namespace: ['a'], name: 'b', version: 'v1' }],
  ['pkg:npm/a%2Fb@1%3A2', { type: 'npm', name: 'a/b', version: '1:2' }],
  // Generators find such versions in binaries.
  ['pkg:generic/java@17.0.10%2B7\0-J-ms8m', { type: 'generic', name: 'java', version: '17.0.10+7\0-J-ms8m' }],
  ['pkg:npm/a%zz@%', { type: 'npm', name: 'a%zz', version: '%' }],
  [
    'pkg:deb/debian/b@1?Arch=x&arch=y&z&u=a%3Db=c?d#/e/%66/#g@h',
    {
      type: 'deb',
      namespace: ['debian'],
      name: 'b',
      version: '1',
      qualifiers: [
        ['arch', 'x'],
        ['arch', 'y'],
        ['z', ''],
        ['u', 'a=b=c?d'],
      ],
      subpath: ['e', 'f', '#g@h'],
    },
  ],
])('%s is taken apart', (text, expected) => {
  expect(parsePackageUrl(text)).toEqual({ ...NOTHING, ...expected });
});

test.each([
  '',
  'left-pad',
  'npm/left-pad',
  'pkg:',
  'pkg:npm',
  'pkg:npm/',
  'pkg:npm//',
  'pkg:n_pm/a',
  'pkg:/a',
  'pkg:1/a',
])('%j is none', (text) => {
  expect(parsePackageUrl(text)).toBeUndefined();
});

// Without spaces, which the library takes away at the end of a qualifier.
const PART = fc.stringMatching(/^[a-z0-9][a-z0-9._~+é%@/:-]{0,8}$/);

test('what the library writes is read as what it was made of', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z0-9@%é]{1,6}$/), { maxLength: 3 }),
      PART,
      fc.option(PART, { nil: undefined }),
      fc.option(PART, { nil: undefined }),
      (namespace, name, version, value) => {
        const qualifiers = value === undefined ? undefined : { key: value };
        const text = new PackageURL('generic', namespace.join('/') || undefined, name, version, qualifiers, undefined);
        expect(parsePackageUrl(text.toString())).toEqual({
          ...NOTHING,
          type: 'generic',
          namespace,
          name,
          ...(version === undefined ? {} : { version }),
          ...(value === undefined ? {} : { qualifiers: [['key', value]] }),
        });
      },
    ),
  );
});

test.each([
  ['pkg:npm/left-pad', '1.3.0', 'pkg:npm/left-pad@1.3.0'],
  ['pkg:npm/left-pad@1.0.0?arch=x#sub', '1.3.0', 'pkg:npm/left-pad@1.3.0?arch=x#sub'],
  ['pkg:npm/@acme/left-pad', '1.3.0', 'pkg:npm/@acme/left-pad@1.3.0'],
  ['pkg:deb/debian/bash', '1:2.0+x', 'pkg:deb/debian/bash@1:2.0%2Bx'],
])('%s in version %s is %s', (purl, version, written) => {
  expect(withVersion(purl, version)).toBe(written);
  expect(parsePackageUrl(written)?.version).toBe(version);
});
