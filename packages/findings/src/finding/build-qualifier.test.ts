import { expect, test } from 'vitest';
import { buildQualifier, ofAllBuilds } from './build-qualifier.ts';

const of = (purl?: string) => ({ name: 'curl', ...(purl === undefined ? {} : { purl }) });
const CURL = 'pkg:deb/debian/curl@7.88.1-10';

test.each([
  ['distro=debian-12', 'distro', 'debian-12'],
  ['distro=debian-12.5', 'distro', 'debian-12'],
  ['distro=12.5', 'distro', 'debian-12'],
  ['distro=alpine-3.19.1', 'distro', 'alpine-3.19'],
  ['arch=ARM64', 'arch', 'arm64'],
  ['arch=arm64', 'distro', undefined],
])('of %s the %s is %s', (qualifiers, name, value) => {
  expect(buildQualifier(of(`${CURL}?${qualifiers}`), name)).toBe(value);
});

test.each([
  ['differ in one', '?arch=amd64&distro=debian-12', ['?arch=arm64&distro=debian-12.5'], '?distro=debian-12'],
  ['differ in it alone', '?arch=amd64', ['?arch=arm64'], ''],
  ['differ, beside a subpath', '?ARCH=amd64&os=linux#usr', ['?arch=arm64'], '?os=linux#usr'],
  ['differ in all', '?arch=amd64&distro=debian-12', ['?arch=arm64&distro=debian-11'], ''],
  ['do not all say it', '?arch=amd64', ['', '?distro=debian-12'], '?arch=amd64'],
  [
    'differ in what says nothing of the build',
    '?arch=amd64&checksum=a',
    ['?arch=amd64&checksum=b'],
    '?arch=amd64&checksum=a',
  ],
])('builds that %s', (_title, own, others, left) => {
  const component = of(`${CURL}${own}`);
  const all = [component, ...others.map((one) => of(`${CURL}${one}`))];
  expect(ofAllBuilds(component, all)).toEqual(of(`${CURL}${left}`));
});

test('what says nothing of a build stays as it is', () => {
  for (const component of [of(), of(CURL)]) {
    expect(ofAllBuilds(component, [component, of(`${CURL}?arch=a`), of(`${CURL}?arch=b`)])).toBe(component);
  }
});
