import type { FindingComponent } from '@colophon/records';
import { expect, test } from 'vitest';
import { identifyComponent, isPurl, sameComponent } from './component-identity.ts';

const at = (purl: string): FindingComponent => ({ name: 'x', purl });
const isSame = (a: FindingComponent, b: FindingComponent) =>
  sameComponent(a, b) && identifyComponent(a).version === identifyComponent(b).version;

test.each([
  ['pkg:deb/debian/apt@1.8.2?arch=amd64&distro=debian-10', 'pkg:deb/debian/apt@1.8.2?arch=arm64&upstream=x'],
  ['pkg:deb/debian/apt@1.8.2?epoch=0', 'pkg:deb/debian/apt@1.8.2'],
  ['pkg:deb/debian/perl@1%3A5.28', 'pkg:deb/debian/perl@5.28?epoch=1'],
  ['pkg:rpm/rhel/bash@4.2?epoch=1', 'pkg:rpm/redhat/bash@1:4.2'],
  ['pkg:rpm/alma/bash@4.2', 'pkg:rpm/almalinux/bash@4.2'],
  ['pkg:rpm/rocky-linux/bash@4.2', 'pkg:rpm/rocky/bash@4.2'],
  ['pkg:rpm/sles/bash@4.2', 'pkg:rpm/suse/bash@4.2'],
  ['pkg:npm/%40angular/core@1.0', 'pkg:npm/@angular/core@1.0'],
  ['pkg:npm/lodash@4.17.20', 'pkg:NPM/lodash@4.17.20#lib'],
  ['pkg:pypi/Foo_Bar@1', 'pkg:pypi/foo.bar@1'],
  ['pkg:golang/github.com/BurntSushi/toml@v1.2.0', 'pkg:golang/github.com/burntsushi/toml@1.2.0'],
  ['pkg:golang/stdlib@go1.20', 'pkg:golang/stdlib@1.20'],
  ['pkg:maven/g/a@1?type=jar&classifier=x', 'pkg:maven/g/a@1'],
  ['pkg://npm//lodash@1', 'pkg:npm/lodash@1?vcs_url=x&checksum=y'],
])('%s and %s are one', (a, b) => {
  expect(isSame(at(a), at(b))).toBe(true);
});

test.each([
  ['pkg:npm/lodash@4.17.20', 'pkg:npm/lodash@4.17.21'],
  ['pkg:npm/lodash@1', 'pkg:pypi/lodash@1'],
  ['pkg:npm/a/lodash@1', 'pkg:npm/b/lodash@1'],
  ['pkg:deb/debian/perl@5.28?epoch=1', 'pkg:deb/debian/perl@5.28'],
  ['pkg:deb/debian/apt@1', 'pkg:deb/ubuntu/apt@1'],
  ['pkg:npm/lodash@1?repository_url=https://npm.example.com', 'pkg:npm/lodash@1'],
  ['pkg:npm/lodash@v1', 'pkg:npm/lodash@1'],
  ['pkg:npm/lodash', 'pkg:npm/lodash@1'],
])('%s and %s are two', (a, b) => {
  expect(isSame(at(a), at(b))).toBe(false);
});

test.each([
  [{ name: 'lodash', version: '1' }, at('pkg:npm/lodash@2')],
  [{ name: '@angular/core' }, at('pkg:npm/%40angular/core@2')],
  [{ name: 'org.example:lib' }, at('pkg:maven/org.example/lib@2')],
  [{ name: ' Lodash ' }, { name: 'lodash' }],
])('%j is the same package as %j, whatever their versions', (a, b) => {
  expect([sameComponent(a, b), sameComponent(b, a)]).toEqual([true, true]);
});

test('an epoch beside a package URL without one is that of the same version alone', () => {
  const rpm = (version: string) => ({ name: 'bash', version, purl: 'pkg:rpm/redhat/bash@4.2-1' });
  expect(identifyComponent(rpm('1:4.2-1')).version).toBe('1:4.2-1');
  expect(identifyComponent(rpm('1:4.2-2')).version).toBe('4.2-1');
  expect(identifyComponent({ ...rpm('1:4.2-1'), purl: 'pkg:npm/bash@4.2-1' }).version).toBe('4.2-1');
});

test.each(['lodash', 'pkg:', 'pkg:npm', 'npm/lodash', 'http://x/pkg:npm/a', ''])('%j is no package URL', (purl) => {
  expect(isPurl(purl)).toBe(false);
  expect(identifyComponent({ name: 'lodash', version: '1', purl })).toEqual({ names: ['lodash'], version: '1' });
});

test('a broken escape or a name of every object breaks nothing', () => {
  expect(identifyComponent(at('pkg:npm/%zz@1')).package).toBe('npm/%zz');
  expect(identifyComponent(at('pkg:rpm/constructor/x@1')).package).toBe('rpm/constructor/x');
});

test('a package URL that was made to be slow is read as fast as any, or is none', () => {
  // Each would take hours where two parts of the expression could share the text.
  const long = 1_000_000;
  expect(isPurl(`pkg:npm${'/'.repeat(long)}#\nx`)).toBe(false);
  expect(isPurl(`pkg:npm${'/'.repeat(long)}a`)).toBe(true);
  expect(isPurl(`pkg:${'/'.repeat(long)}`)).toBe(false);
  expect(isPurl(`pkg:npm/${'a'.repeat(long)}#\nx`)).toBe(false);
});
