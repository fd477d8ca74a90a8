import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultOfPackageUrl } from './package-url-fault.ts';

test.each([
  'pkg:npm/left-pad@1.3.0',
  'pkg:npm/left-pad',
  'pkg:npm/%40scope/left-pad@1.3.0',
  'pkg://npm/left-pad',
  'pkg:golang/example.com/left-pad@v1',
  'pkg:golang/github.com/gorilla/context@234fd47e07d1004f0aed9c#api',
  'pkg:maven/org.apache.commons/io@1.3.4?classifier=sources&type=jar',
  'pkg:deb/debian/curl@7.50.3-1?arch=i386&distro=jessie',
  'pkg:deb/debian/libstdc%2B%2B6@10.2.1-6?arch=amd64',
  'pkg:deb/debian/libstdc++6@1:10.2.1-6',
  'pkg:oci/debian@sha256%3A244fd47e07d10?repository_url=docker.io/library/debian',
  'pkg:docker/cassandra@sha256:244fd47e07d1004f0aed9c',
  'pkg:generic/openssl@1.1.10g?checksum=sha256:de4d501267da&download_url=https://openssl.org/a.tar.gz',
  'pkg:swift/github.com/Alamofire/Alamofire@5.4.3',
  'pkg:unheard-of/anything',
])('%s is a package URL', (purl) => {
  expect(faultOfPackageUrl(purl)).toBeUndefined();
});

test.each([
  ['', 'pkg:'],
  ['left-pad', 'pkg:'],
  ['npm/left-pad@1.3.0', 'pkg:'],
  ['PKG:npm/left-pad', 'pkg:'],
  ['pkg:npm', 'no name'],
  ['pkg:npm/', 'no name'],
  ['pkg:npm//@1', 'no name'],
  ['pkg:/left-pad', 'no name'],
  ['pkg:NPM/left-pad', 'type'],
  ['pkg:1npm/left-pad', 'type'],
  ['pkg:n_pm/left-pad', 'type'],
  ['pkg:npm/@scope/left-pad', '%40'],
  ['pkg:npm/@scope/left-pad@1.3.0', '%40'],
  ['pkg:npm/left-pad@', 'no version'],
  ['pkg:npm/left pad', 'percent-encoded'],
  ['pkg:npm/lëft-pad', 'percent-encoded'],
  ['pkg:npm/left-pad\u0000', 'percent-encoded'],
  ['pkg:npm/left%2-pad', 'hex'],
  ['pkg:npm/left-pad?arch', 'key=value'],
  ['pkg:npm/left-pad?', 'key=value'],
  ['pkg:npm/left-pad?=x', 'key=value'],
  ['pkg:npm/left-pad?Arch=x', 'key=value'],
  ['pkg:npm/left-pad?arch=x&arch=y', 'twice'],
  ['pkg:npm/left-pad#../etc', 'subpath'],
  ['pkg:npm/left-pad#a/%2e%2E/b', 'subpath'],
  ['pkg:maven/io@1.3.4', 'namespace'],
  ['pkg:swift/Alamofire@5.4.3', 'namespace'],
  ['pkg:cran/A3', 'version'],
  [`pkg:npm/${'a'.repeat(10_000)}`, 'longer'],
])('%s is none: %s', (purl, why) => {
  expect(faultOfPackageUrl(purl)).toContain(why);
});

test('nothing makes it throw', () => {
  const letter = fc.constantFrom(
    'pkg:',
    'golang',
    'conan',
    'constructor',
    '__proto__',
    '/',
    '@',
    'v1',
    '?',
    '#',
    '&',
    '=',
    '%',
    '%40',
    'a',
    '.',
  );
  fc.assert(
    fc.property(fc.array(letter), (parts) => {
      faultOfPackageUrl(`pkg:${parts.join('')}`);
    }),
    { numRuns: 2_000 },
  );
});
