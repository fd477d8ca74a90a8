import { expect, test } from 'vitest';
import { findingOf, openedRecord, scanOf } from '../../test/remediation-story.ts';
import { undecidedBecause, type VersionStanding, versionStanding } from './version-standing.ts';

const at = (purl: string) => ({ name: 'part', purl });

/** A record of a component that was found at this package URL, with these fixes. */
const found = (purl: string, ...fixedInVersions: string[]) =>
  openedRecord({ scan: scanOf({ findings: [findingOf({ component: at(purl), fixedInVersions })] }) });

test.each<[VersionStanding, now: string, then: string, ...fixed: string[]]>([
  ['same', 'pkg:npm/part@1.0.0+build.7', 'pkg:npm/part@1.0.0'],
  ['same', 'pkg:pypi/part@1.0', 'pkg:pypi/part@1.0.0', '1.1'],
  ['same', 'pkg:maven/a/part@2.14.1.0', 'pkg:maven/a/part@2.14.1'],
  ['same', 'pkg:deb/debian/part@0:1.0-1', 'pkg:deb/debian/part@1.0-1'],
  ['fixed', 'pkg:npm/part@1.2.5', 'pkg:npm/part@1.2.4', '1.2.5', '2.0.1'],
  ['below_fix', 'pkg:npm/part@2.0.0', 'pkg:npm/part@1.2.4', '1.2.5', '2.0.1'],
  ['below_fix', 'pkg:npm/part@1.2.4', 'pkg:npm/part@1.2.3', '1.2.5'],
  ['older', 'pkg:npm/part@1.0.0', 'pkg:npm/part@1.2.3', '1.2.5'],
  ['older', 'pkg:npm/part@1.0.0', 'pkg:npm/part@1.2.3'],
  ['fixed', 'pkg:npm/part@1.2.5', 'pkg:npm/part@2.0.0', '1.2.5', '2.0.1'],
  ['undecided', 'pkg:npm/part@1.3.0', 'pkg:npm/part@1.2.3'],
  ['undecided', 'pkg:npm/part', 'pkg:npm/part@1.2.3', '1.2.5'],
  ['alike', 'pkg:conan/part@v1.2.3', 'pkg:conan/part@1.2.3'],
  ['alike', 'pkg:conan/part@1.02.3', 'pkg:conan/part@1.2.3.0'],
  ['alike', 'pkg:conan/part@1.2.3-RC', 'pkg:conan/part@1.2.3-rc+7'],
  ['undecided', 'pkg:conan/part@1.2.4', 'pkg:conan/part@1.2.3', '1.2.4'],
  ['below_fix', 'pkg:conan/part@1.2.3-4', 'pkg:conan/part@1.2.3-1', '1.2.5'],
  ['below_fix', 'pkg:conan/part@1.2.4', 'pkg:conan/part@1.2.3', '1.2.5', '0.9.2'],
  ['undecided', 'pkg:conan/part@1.2.5-1', 'pkg:conan/part@1.2.3-1', '1.2.5'],
  ['undecided', 'pkg:conan/part@cci.20240102', 'pkg:conan/part@cci.20240101', '1.2.5'],
  ['undecided', 'pkg:conan/part@1.2.4', 'pkg:conan/part@1.2.3'],
  // Where the order reads the version and not the fix, the numbers of both are left.
  ['below_fix', 'pkg:npm/part@1.2.4', 'pkg:npm/part@1.2.3', '1.2.5.0'],
  ['undecided', 'pkg:npm/part@1.2.6', 'pkg:npm/part@1.2.3', '1.2.5.0'],
  ['fixed', 'pkg:npm/part@1.2.5', 'pkg:npm/part@1.2.3', '1.2.5', 'latest'],
  ['alike', 'pkg:conan/part@~~1.002.3.0.0~~', 'pkg:conan/part@1.2.3'],
  ['undecided', 'pkg:conan/part@1.0.2', 'pkg:conan/part@1.2'],
  ['undecided', 'pkg:conan/part@100', 'pkg:conan/part@10'],
  ['undecided', 'pkg:conan/part@rev1', 'pkg:conan/part@re1'],
  // A tie between branches is decided by no numbers either.
  ['undecided', 'pkg:npm/part@2.16.0', 'pkg:npm/part@2.14.0', '2.12.4', '2.17.1'],
  ['same', 'pkg:gem/part@1.0-java', 'pkg:gem/part@1.0.0-java', '1.2'],
  ['alike', 'pkg:gem/part@1.0-java', 'pkg:gem/part@1.0', '1.2'],
  ['undecided', 'pkg:gem/part@1.1-x86_64-linux', 'pkg:gem/part@1.0-java'],
  ['fixed', 'pkg:gem/part@1.2-x86_64-linux', 'pkg:gem/part@1.0-x86_64-linux', '1.2'],
  ['fixed', 'pkg:gem/part@1.2', 'pkg:gem/part@1.0', '1.2-java'],
  ['below_fix', 'pkg:gem/part@1.2-rc1', 'pkg:gem/part@1.0', '1.2'],
  ['alike', 'pkg:npm/part@=1.2.3', 'pkg:npm/part@1.2.3'],
  ['unreadable', 'pkg:composer/part@dev-main', 'pkg:composer/part@1.2.3'],
  // A distribution backports: the number of upstream's fix says nothing of its packages.
  ['undecided', 'pkg:deb/debian/part@1.0-2', 'pkg:deb/debian/part@1.0-1', '1.4'],
  ['below_fix', 'pkg:deb/debian/part@1.0-2', 'pkg:deb/debian/part@1.0-1', '1.0-3'],
  // A missing epoch is none, or one that nobody wrote down: what is true of both counts.
  ['undecided', 'pkg:rpm/redhat/part@1.2-4', 'pkg:rpm/redhat/part@1.2-3?epoch=1', '1:1.2-4'],
  ['undecided', 'pkg:rpm/redhat/part@1.2-4', 'pkg:rpm/redhat/part@1:1.2-3'],
  ['undecided', 'pkg:deb/debian/part@1.2-4', 'pkg:deb/debian/part@1.2-3', '1:1.2-4'],
  ['undecided', 'pkg:deb/debian/part@1:1.2-2', 'pkg:deb/debian/part@1.2-3'],
  ['fixed', 'pkg:rpm/redhat/part@1.2-4?epoch=1', 'pkg:rpm/redhat/part@1.2-3', '1.2-4'],
  ['fixed', 'pkg:rpm/redhat/part@1.2-4?epoch=1', 'pkg:rpm/redhat/part@1:1.2-3', '1:1.2-4'],
  ['alike', 'pkg:rpm/redhat/part@1.2-3', 'pkg:rpm/redhat/part@1.2-3?epoch=1', '1:1.2-4'],
  ['alike', 'pkg:deb/debian/part@2:1.2-3', 'pkg:deb/debian/part@1.2-3'],
  ['older', 'pkg:deb/debian/part@1.2-2', 'pkg:deb/debian/part@1:1.2-3'],
  ['older', 'pkg:deb/debian/part@0:1.2-2', 'pkg:deb/debian/part@1:1.2-3', '1:1.2-4'],
  ['older', 'pkg:deb/debian/part@1.2-4', 'pkg:deb/debian/part@1:1.2-3', '1:1.2-5'],
  ['older', 'pkg:rpm/redhat/part@1:1.2-4', 'pkg:rpm/redhat/part@2:1.2-3', '2:1.2-4'],
  ['undecided', 'pkg:apk/alpine/part@1.0-r2', 'pkg:apk/alpine/part@1.0-r1', '1.4'],
  ['alike', 'pkg:rpm/redhat/part@1.2-3', 'pkg:rpm/redhat/part@10:1.2-3'],
  ['undecided', 'pkg:rpm/redhat/part@1.2-3', 'pkg:rpm/redhat/part@10:1.2-2', '1:1.2-3'],
  ['alike', 'pkg:deb/debian/part@1_0-1', 'pkg:deb/debian/part@1:1_0-1'],
  // Only packages of distributions have epochs.
  ['undecided', 'pkg:conan/part@1.2', 'pkg:conan/part@1:1.2'],
])('%s: %s after %s', (standing, now, then, ...fixed) => {
  expect(versionStanding(found(then, ...fixed), at(now))).toBe(standing);
});

test.each<[VersionStanding, now: string, fixed: string[], ...then: string[]]>([
  // One that was seen as it is written is no other build.
  ['same', 'gem/part@1.0-java', ['1.2'], '1.0.0-java', '1.0-x86_64-linux'],
  ['alike', 'gem/part@1.0-arm64-darwin', ['1.2'], '1.0-java', '1.0-x86_64-linux'],
  ['older', 'npm/part@1.0.0', [], '1.2.0', '1.4.0', '=1.3.0'],
  ['undecided', 'npm/part@1.3.0', [], '1.2.0', '1.4.0'],
])('%s: %s of several, fixed in %j, after %s and %s', (standing, now, fixedInVersions, ...then) => {
  const [path] = now.split('@');
  const findings = then.map((version) => findingOf({ component: at(`pkg:${path}@${version}`), fixedInVersions }));
  expect(versionStanding(openedRecord({ scan: scanOf({ findings }) }), at(`pkg:${now}`))).toBe(standing);
});

test('a component without a package URL is of the kind of the one that was found', () => {
  const now = { name: 'part', version: '1.2.5' };
  expect(versionStanding(found('pkg:npm/part@1.2.3', '1.2.5'), now)).toBe('fixed');
  expect(undecidedBecause(found('pkg:npm/part@1.2.3'), now)).toMatch('no fixed version is known');
  const component = { name: 'part', version: '1.2.3' };
  const nothing = openedRecord({ scan: scanOf({ findings: [findingOf({ component, fixedInVersions: [] })] }) });
  expect(versionStanding(nothing, now)).toBe('undecided');
});

test.each<[RegExp, string, string, ...string[]]>([
  [/the version order of \w+ is not known/, 'pkg:conan/part@1.2.4', 'pkg:conan/part@1.2.3', '1.2.4'],
  [/no fixed version is known/, 'pkg:npm/part@1.3.0', 'pkg:npm/part@1.2.3'],
  [
    /does not use the version numbers of the fix \(1\.4, 1\.5\)/,
    'pkg:deb/debian/part@1.0-2',
    'pkg:deb/debian/part@1.0-1',
    '1.4',
    '1.5',
  ],
  [/one version has an epoch and another has none/, 'pkg:rpm/redhat/part@1.2-4', 'pkg:rpm/redhat/part@1:1.2-3'],
  [/1\.3\.0 cannot be compared with latest, next/, 'pkg:npm/part@1.3.0', 'pkg:npm/part@1.2.3', 'latest', 'next'],
])('why the scan alone decides: %s', (why, now, then, ...fixed) => {
  expect(undecidedBecause(found(then, ...fixed), at(now))).toMatch(why);
});

test('where the versions say enough, no reason is given', () => {
  expect(undecidedBecause(found('pkg:npm/part@1.2.3', '1.2.5'), at('pkg:npm/part@1.2.5'))).toBeUndefined();
  expect(undecidedBecause(found('part'), { name: 'part', version: '2' })).toMatch('components without a package URL');
});
