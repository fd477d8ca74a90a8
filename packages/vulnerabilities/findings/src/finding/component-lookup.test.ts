import type { FindingComponent } from '@colophon/records';
import { expect, test } from 'vitest';
import { ComponentLookup } from './component-lookup.ts';

const KNOWN = new ComponentLookup([
  { name: 'left-pad', version: '1.0.0', purl: 'pkg:npm/left-pad@1.0.0' },
  { name: 'zlib', version: '1.3' },
  { name: 'unversioned', purl: 'pkg:npm/unversioned' },
  { name: 'libssl3', purl: 'pkg:deb/debian/libssl3@3.0.11-1?distro=debian-12&upstream=openssl' },
  { name: 'bash', purl: 'pkg:deb/debian/bash@5.2.15-2%2Bb8?upstream=bash%405.2.15-2' },
  { name: 'glibc-common', purl: 'pkg:rpm/redhat/glibc-common@2.34-60.el9?upstream=glibc-2.34-60.el9.src.rpm' },
]);

test.each<[isThere: boolean, isInVersion: boolean, component: FindingComponent]>([
  [true, true, { name: 'left-pad', purl: 'pkg:npm/left-pad@1.0.0?checksum=sha256:1' }],
  [true, true, { name: 'left-pad', version: '1.0.0' }],
  [true, false, { name: 'left-pad' }],
  [false, false, { name: 'left-pad', version: '1.0.1' }],
  [false, false, { name: 'left-pad', purl: 'pkg:pypi/left-pad@1.0.0' }],
  [true, true, { name: 'zlib', purl: 'pkg:generic/zlib@1.3' }],
  [false, false, { name: 'zlib', purl: 'pkg:generic/zlib@1.4' }],
  [true, false, { name: 'unversioned', purl: 'pkg:npm/unversioned@7' }],
  // Named by the package that it was built from, in whatever version that has.
  [true, false, { name: 'openssl', purl: 'pkg:deb/debian/openssl@3.0.11-1' }],
  [true, false, { name: 'bash', version: '5.2.15-2' }],
  [true, false, { name: 'glibc', version: '2.34-60.el9' }],
  [false, false, { name: 'curl', version: '1' }],
])('there %s, in that version %s: %j', (isThere, isInVersion, component) => {
  expect([KNOWN.has(component), KNOWN.hasVersion(component)]).toEqual([isThere, isInVersion]);
});
