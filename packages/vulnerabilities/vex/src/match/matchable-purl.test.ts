import { packageName, versionKey } from '@colophon/notation';
import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { PackageURL } from 'packageurl-js';
import { expect, test } from 'vitest';
import { covers, matchablePurl } from './matchable-purl.ts';

const matches = (general: string, specific: string) => {
  const [a, b] = [matchablePurl(general), matchablePurl(specific)];
  return a !== undefined && b !== undefined && covers(a, b);
};

test.each([
  ['the same', 'pkg:apk/wolfi/curl@8.1.2-r0?arch=x86_64', 'pkg:apk/wolfi/curl@8.1.2-r0?arch=x86_64'],
  ['any version', 'pkg:maven/org.apache/log4j-core', 'pkg:maven/org.apache/log4j-core@2.14.1'],
  ['more qualifiers in the component', 'pkg:deb/debian/curl@7', 'pkg:deb/debian/curl@7?arch=arm64&distro=debian-12'],
  ['qualifiers in another order', 'pkg:deb/a/b?x=1&y=2', 'pkg:deb/a/b@1?y=2&x=1'],
  ['an empty qualifier', 'pkg:deb/a/b@1?arch=', 'pkg:deb/a/b@1'],
  ['an npm scope, escaped or not', 'pkg:npm/@babel/core@7.0.0', 'pkg:npm/%40babel/core@7.0.0'],
  ['a scope without a version', 'pkg:npm/@babel/core', 'pkg:npm/%40babel/core@7.0.0'],
  ['a name that Python takes for the same', 'pkg:pypi/Ruamel_Yaml', 'pkg:pypi/ruamel-yaml@0.17'],
  [
    'a Go module in another case',
    'pkg:golang/github.com/Masterminds/Sprig@v3',
    'pkg:golang/github.com/masterminds/sprig@v3',
  ],
  ['a name in another case, as findings are merged', 'pkg:maven/a/B@1', 'pkg:maven/a/b@1'],
  ['a version in another spelling', 'pkg:pypi/a@1.0', 'pkg:pypi/a@v1.0.0'],
  ['an epoch inside the version and beside it', 'pkg:rpm/fedora/a@1:2-3', 'pkg:rpm/fedora/a@2-3?epoch=1'],
  ['a type in another case', 'pkg:NPM/a@1', 'pkg:npm/a@1'],
  ['slashes after the scheme', 'pkg://npm/a@1', 'pkg:npm/a@1'],
  ['an escaped version', 'pkg:oci/app@sha256%3Aab', 'pkg:oci/app@sha256:ab'],
  ['a subpath of the component', 'pkg:golang/a/b@v1', 'pkg:golang/a/b@v1#c/d'],
  ['the same subpath', 'pkg:golang/a/b@v1#/c/d/', 'pkg:golang/a/b@v1#c/d'],
])('covers %s', (_what, general, specific) => {
  expect(matches(general, specific)).toBe(true);
});

test.each([
  ['another type', 'pkg:apk/wolfi/curl@8', 'pkg:rpm/wolfi/curl@8'],
  ['another namespace', 'pkg:apk/wolfi/curl@8', 'pkg:apk/alpine/curl@8'],
  ['no namespace', 'pkg:apk/wolfi/curl@8', 'pkg:apk/curl@8'],
  ['a namespace that another begins with', 'pkg:golang/github.com/a/b', 'pkg:golang/github.com/a/b/c@v1'],
  ['another name', 'pkg:npm/lodash@4', 'pkg:npm/lodash-es@4'],
  ['another epoch', 'pkg:deb/debian/a@1:2-3', 'pkg:deb/debian/a@2-3?epoch=2'],
  ['another version', 'pkg:npm/lodash@4.17.20', 'pkg:npm/lodash@4.17.21'],
  ['a component without a version', 'pkg:npm/lodash@4.17.20', 'pkg:npm/lodash'],
  ['another qualifier', 'pkg:deb/a/b@1?arch=arm64', 'pkg:deb/a/b@1?arch=amd64'],
  ['a qualifier that is not there', 'pkg:deb/a/b@1?arch=arm64', 'pkg:deb/a/b@1'],
  ['a subpath that is not there', 'pkg:golang/a/b@v1#c', 'pkg:golang/a/b@v1'],
  ['a name put together from other parts', 'pkg:npm/a%2Fb@1', 'pkg:npm/a/b@1'],
])('does not cover %s', (_what, general, specific) => {
  expect(matches(general, specific)).toBe(false);
});

test.each([
  '',
  'pkg:',
  'pkg:npm',
  'pkg:npm/',
  'pkg:npm/%',
  'pkg:npm/a@%E0%A4%A',
  'pkg:npm/a?=1',
  'pkg:npm/a?x=1&x=2',
  'pkg:/a',
  'cpe:2.3:a:b:c',
  'pkg:npm/a%00b@1',
  'pkg:npm/a@1%002',
  `pkg:npm/${'a'.repeat(9000)}`,
])('%j is no package URL, and covers nothing', (text) => {
  expect(matchablePurl(text)).toBeUndefined();
});

const part = fc.stringMatching(/^[a-z0-9][a-z0-9._~+ é%-]{0,8}$/);
const types = fc.constantFrom('npm', 'maven', 'generic', 'deb', 'pypi', 'cargo', 'gem', 'nuget');

test('takes what the library writes apart as the library does', () => {
  fc.assert(
    fc.property(
      types,
      part,
      part,
      fc.option(part),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), part),
      (type, namespace, name, version, qualifiers) => {
        const [scope, more] = [type === 'pypi' || type === 'cargo' ? undefined : namespace, qualifiers];
        const url = new PackageURL(type, scope, name, version, more, undefined);
        const { base, parts } = matchablePurl(url.toString())!;
        const [ofType, ofNamespace, ofName] = base.split('\0');
        const { namespace: spelt, name: called } = packageName({
          type: url.type,
          namespace: url.namespace ? [url.namespace] : [],
          name: url.name,
        });
        expect([ofType, ofNamespace, ofName]).toEqual([url.type, spelt.join('/'), called]);
        expect(Object.fromEntries(parts)).toEqual({
          ...url.qualifiers,
          ...(url.version === undefined || url.version === null ? {} : { '@': versionKey(url.type, url.version) }),
        });
      },
    ),
  );
});

test('never throws, whatever the text', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(() => matchablePurl(`pkg:${text}`)).not.toThrow();
    }),
  );
});
