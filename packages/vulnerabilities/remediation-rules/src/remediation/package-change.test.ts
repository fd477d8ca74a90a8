import { expect, test } from 'vitest';
import { findingOf, openedRecord, scanOf } from '../../test/remediation-story.ts';
import { packageChangeIssues } from './package-change.ts';
import { OR_REASON } from './remediation-issue.ts';

test.each<[changed: string[], before: string, after: string]>([
  [[], 'pkg:deb/debian/curl@1?distro=debian-12', 'pkg:deb/debian/curl@2?distro=debian-12'],
  [[], 'pkg:deb/debian/curl@1?distro=debian-12.5', 'pkg:deb/debian/curl@2?distro=Debian-12.6'],
  [['distro'], 'pkg:deb/debian/curl@1?distro=debian-12', 'pkg:deb/debian/curl@2?distro=debian-13'],
  [['distro'], 'pkg:deb/debian/curl@1?distro=bookworm', 'pkg:deb/debian/curl@2?distro=trixie'],
  [[], 'pkg:rpm/redhat/curl@1?distro=rhel-9.2', 'pkg:rpm/redhat/curl@2?distro=rhel-9.4'],
  [['distro'], 'pkg:rpm/redhat/curl@1?distro=rhel-8.10', 'pkg:rpm/redhat/curl@2?distro=rhel-9.4'],
  [[], 'pkg:apk/alpine/curl@1?distro=alpine-3.19.1', 'pkg:apk/alpine/curl@2?distro=alpine-3.19.4'],
  [['distro'], 'pkg:apk/alpine/curl@1?distro=alpine-3.19.1', 'pkg:apk/alpine/curl@2?distro=alpine-3.20.0'],
  [['distro'], 'pkg:deb/ubuntu/curl@1?distro=ubuntu-22.04', 'pkg:deb/ubuntu/curl@2?distro=ubuntu-22.10'],
  [['arch'], 'pkg:deb/debian/curl@1?arch=amd64', 'pkg:deb/debian/curl@2?arch=arm64'],
  [['classifier', 'type'], 'pkg:maven/a/b@1?classifier=x&type=jar', 'pkg:maven/a/b@2?classifier=y&type=zip'],
  // A number alone is one of the namespace's.
  [[], 'pkg:deb/debian/curl@1?distro=debian-12', 'pkg:deb/debian/curl@2?distro=12.5'],
  [['distro'], 'pkg:deb/debian/curl@1?distro=12', 'pkg:deb/debian/curl@2?distro=13'],
  [['distro'], 'pkg:deb/debian/curl@1?distro=debian-1', 'pkg:deb/debian/curl@2?distro=debian-12'],
  [['distro'], 'pkg:deb/ubuntu/curl@1?distro=ubuntu-22.04', 'pkg:deb/ubuntu/curl@2?distro=ubuntu-22.1'],
  [['distro'], 'pkg:deb/debian/curl@1?distro=sid', 'pkg:deb/debian/curl@2?distro=forky'],
  // What the SBOM does not say of it is asked for elsewhere, where scanners need it.
  [[], 'pkg:deb/debian/curl@1?arch=amd64', 'pkg:deb/debian/curl@2'],
  [[], 'pkg:deb/debian/curl@1', 'pkg:deb/debian/curl@2?arch=arm64'],
  [[], 'pkg:deb/debian/curl@1?upstream=a&checksum=b', 'pkg:deb/debian/curl@2?upstream=c&checksum=d'],
])('another %j: %s, then %s', (changed, before, after) => {
  const component = { name: 'curl', purl: before };
  const record = openedRecord({ scan: scanOf({ findings: [findingOf({ component })] }) });
  for (const known of [[component], []]) {
    const issues = [...packageChangeIssues(record, [{ name: 'curl', purl: after }], known)];
    expect(issues.map(({ message }) => message.split(' ').at(-1))).toEqual(changed);
  }
});

test('what was there in several builds may stay in any of them, and the refusal names them', () => {
  const of = (version: string, arch: string) => ({ name: 'curl', purl: `pkg:deb/debian/curl@${version}?arch=${arch}` });
  const record = openedRecord({ scan: scanOf({ findings: [findingOf({ component: of('1', 'arm64') })] }) });
  const before = [of('1', 'arm64'), of('1', 'amd64'), { name: 'zlib', purl: 'pkg:deb/debian/zlib@1?arch=riscv64' }];
  expect([...packageChangeIssues(record, [of('2', 'amd64')], before)]).toEqual([]);
  expect([...packageChangeIssues(record, [of('2', 'riscv64')], before)]).toMatchObject([
    {
      code: 'remediation.package_changed',
      message: 'curl is there with another arch',
      expected: `amd64 or arm64: the same package in another version; ${OR_REASON}`,
      found: 'pkg:deb/debian/curl@2?arch=riscv64',
    },
  ]);
});
