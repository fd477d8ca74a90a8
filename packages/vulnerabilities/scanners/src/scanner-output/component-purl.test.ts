import { expect, test } from 'vitest';
import { componentPurl, type PurlType, readPurl } from './component-purl.ts';
import { osvPurl } from './osv-purl.ts';
import { managerOfSnykId, snykPurl } from './snyk-purl.ts';
import { trivyPurl } from './trivy-purl.ts';

test.each<[PurlType, string, string | undefined, string | undefined]>([
  ['npm', 'left-pad', '1.3.0', 'pkg:npm/left-pad@1.3.0'],
  ['npm', '@babel/traverse', '7.22.15', 'pkg:npm/%40babel/traverse@7.22.15'],
  ['pypi', 'Flask_Shop', '0.5', 'pkg:pypi/flask-shop@0.5'],
  ['cargo', 'aws-lc-sys', '0.36.0', 'pkg:cargo/aws-lc-sys@0.36.0'],
  ['maven', 'org.apache.logging.log4j:log4j-core', '2.14.1', 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1'],
  ['maven', 'log4j-core', '2.14.1', undefined],
  ['composer', 'psy/psysh', '0.9.0', 'pkg:composer/psy/psysh@0.9.0'],
  ['cocoapods', 'Shop/Cart', '1.0', 'pkg:cocoapods/Shop%2FCart@1.0'],
  ['npm', 'left-pad', undefined, 'pkg:npm/left-pad'],
  ['npm', '', '1', undefined],
  // Go: packageurl-js 2.0.1 fails on both of these.
  ['golang', 'golang.org/x/net', 'v0.9.0', 'pkg:golang/golang.org/x/net@v0.9.0'],
  ['golang', 'stdlib', 'v1.19.0', 'pkg:golang/stdlib@1.19.0'],
  ['golang', 'golang.org/x/net', '0.9.0', 'pkg:golang/golang.org/x/net@v0.9.0'],
  ['golang', 'github.com/Shop/Cart', 'v2.0.0+incompatible', 'pkg:golang/github.com/shop/cart@v2.0.0%2Bincompatible'],
  ['golang', 'golang.org/x/net', undefined, 'pkg:golang/golang.org/x/net'],
  ['golang', 'shop', '(devel)', 'pkg:golang/shop@(devel)'],
])('%s %s %s is %s', (type, name, version, purl) => {
  expect(componentPurl(type, name, version)).toBe(purl);
});

test("a distribution's package has it before its name, whatever the name", () => {
  const extra = { namespace: 'debian', qualifiers: { distro: 'debian-12' } };
  expect(componentPurl('deb', 'libstdc++6', '12.2-1', extra)).toBe(
    'pkg:deb/debian/libstdc%2B%2B6@12.2-1?distro=debian-12',
  );
});

test("an RPM's epoch stands beside its version", () => {
  const extra = { namespace: 'redhat', qualifiers: { distro: 'redhat-9' } };
  expect(componentPurl('rpm', 'bash', '1:5.1-2', extra)).toBe('pkg:rpm/redhat/bash@5.1-2?distro=redhat-9&epoch=1');
  expect(componentPurl('rpm', 'bash', '1:', extra)).toBe('pkg:rpm/redhat/bash@1:?distro=redhat-9');
});

test.each([
  ['Debian:12', 'pkg:deb/debian/curl@7.1?distro=debian-12'],
  ['Alpine:v3.20', 'pkg:apk/alpine/curl@7.1?distro=alpine-3.20'],
  ['Ubuntu:Pro:18.04:LTS', 'pkg:deb/ubuntu/curl@7.1?distro=ubuntu-18.04'],
  ['Red Hat:enterprise_linux:9::baseos', 'pkg:rpm/redhat/curl@7.1?distro=redhat-9'],
  ['Red Hat:rhel_aus:8.4::appstream', 'pkg:rpm/redhat/curl@7.1?distro=redhat-8.4'],
  ['Red Hat:openshift:4.15::el9', 'pkg:rpm/redhat/curl@7.1'],
  ['openSUSE:Leap 15.5', 'pkg:rpm/opensuse/curl@7.1'],
  ['Debian', 'pkg:deb/debian/curl@7.1'],
  ['crates.io', 'pkg:cargo/curl@7.1'],
  ['GIT', undefined],
  [undefined, undefined],
])('curl of the ecosystem %s is %s', (ecosystem, purl) => {
  expect(osvPurl(ecosystem, 'curl', '7.1')).toBe(purl);
});

test.each([
  ['redhat', 'pkg:rpm/redhat/curl@7.1?distro=redhat-9&epoch=1'],
  ['opensuse.leap', 'pkg:rpm/opensuse/curl@7.1?distro=opensuse.leap-9&epoch=1'],
  ['suse linux enterprise server', 'pkg:rpm/suse/curl@7.1?distro=suse%20linux%20enterprise%20server-9&epoch=1'],
  ['plan9', undefined],
])('curl that trivy found in %s is %s', (type, purl) => {
  expect(trivyPurl(type, 'curl', '1:7.1', { family: type, release: '9' })).toBe(purl);
});

test.each([
  ['sles:15.3', 'curl', 'pkg:rpm/suse/curl@7.1?distro=sles-15.3'],
  ['rhel:9', 'curl/libcurl', 'pkg:rpm/redhat/libcurl@7.1?distro=rhel-9'],
  ['debian:12', 'curl/libcurl4', 'pkg:deb/debian/libcurl4@7.1?distro=debian-12'],
  ['linux', 'curl', undefined],
])('what Snyk says of %s %s is %s', (manager, name, purl) => {
  expect(snykPurl(manager, name, '7.1')).toBe(purl);
});

test.each([
  ['SNYK-JS-LODASH-450202', 'JS'],
  ['SNYK-DEBIAN12-CURL-1', 'DEBIAN'],
  ['npm:qs:20140806', 'npm'],
  ['snyk:lic:npm:qs:MIT', undefined],
  ['CVE-2024-1', undefined],
])('the id %s is of %s', (id, manager) => {
  expect(managerOfSnykId(id)).toBe(manager);
});

test.each([
  ['pkg:npm/%40babel/traverse@7.22.15', '@babel/traverse', '7.22.15'],
  [
    'pkg:maven/org.apache.logging.log4j/log4j-core@2.13.2?package-id=5f#x',
    'org.apache.logging.log4j:log4j-core',
    '2.13.2',
  ],
  ['pkg:golang/stdlib@v1.2', 'stdlib', 'v1.2'],
  ['pkg:npm/@babel/traverse', '@babel/traverse', undefined],
  ['pkg:deb/debian/a%@1%3A2', 'debian/a%', '1:2'],
])('%s names %s %s', (purl, name, version) => {
  expect(readPurl(purl)).toEqual({ name, version });
});

test.each(['', 'left-pad', 'pkg:', 'pkg:npm/', 'pkg:npm/?a=b', 'https://example.com/pkg:npm/a'])(
  'no purl is %j',
  (text) => {
    expect(readPurl(text)).toBeUndefined();
  },
);
