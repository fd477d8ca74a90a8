import { expect, test } from 'vitest';
import { buildQualifier, ofAllBuilds } from './build-qualifier.ts';

const of = (purl?: string) => ({ name: 'curl', ...(purl === undefined ? {} : { purl }) });
const CURL = 'pkg:deb/debian/curl@7.88.1-10';

test.each([
  ['distro=debian-12', 'distro', 'debian-12'],
  ['distro=debian-12.5', 'distro', 'debian-12'],
  ['distro=12.5', 'distro', 'debian-12'],
  ['distro=alpine-3.19.1', 'distro', 'alpine-3.19'],
  ['distro=bookworm', 'distro', 'bookworm'],
  ['distro=rhel-9', 'distro', 'redhat-9'],
  ['distro=redhat-9.2', 'distro', 'redhat-9'],
  ['arch=ARM64', 'arch', 'arm64'],
  ['classifier=jdk-11.0.2', 'classifier', 'jdk-11.0.2'],
  ['os=12.5', 'os', '12.5'],
  ['arch=arm64', 'distro', undefined],
])('of %s the %s is %s', (qualifiers, name, value) => {
  expect(buildQualifier(of(`${CURL}?${qualifiers}`), name)).toBe(value);
});

test.each([
  ['differ in one', '?arch=amd64&distro=debian-12', ['?arch=arm64&distro=debian-12'], '?distro=debian-12'],
  ['differ in it alone', '?arch=amd64', ['?arch=arm64'], ''],
  ['differ, beside a subpath', '?ARCH=amd64&os=linux#usr', ['?arch=arm64'], '?os=linux#usr'],
  ['differ in all', '?arch=amd64&distro=debian-12', ['?arch=arm64&distro=debian-11'], ''],
  ['do not all say it', '?arch=amd64', ['', '?distro=debian-12'], '?arch=amd64'],
  ['differ in a checksum', '?arch=amd64&checksum=a', ['?arch=amd64&checksum=b'], '?arch=amd64'],
  ['differ in a point release', '?distro=debian-12.5', ['?distro=debian-12'], ''],
  ['differ in the case of a value', '?arch=ARM64', ['?arch=arm64'], ''],
  ['differ in the subpath', '?arch=amd64#cmd/a', ['?arch=amd64#cmd/b'], '?arch=amd64'],
  ['differ in nothing, in other spellings', '?%61rch=a%6Dd64#/usr/', ['?ARCH=amd64#usr'], '?%61rch=a%6Dd64#/usr/'],
  ['differ in a key that is escaped', '?%61rch=amd64&os=linux', ['?arch=arm64'], '?os=linux'],
  ['say one thing twice', '?arch=amd64&arch=arm64', ['?arch=amd64'], ''],
  ['say one thing twice, and the last of it alone', '?arch=amd64&arch=arm64', ['?arch=arm64'], ''],
  ['say two things, and the last of it alike', '?arch=a&arch=b', ['?arch=c&arch=b'], ''],
  ['differ in a slash of the subpath', '?arch=amd64#cmd/a', ['?arch=amd64#cmda'], '?arch=amd64'],
  ['say nothing of it, at length', '?arch=amd64', ['?arch=', '#'], '?arch=amd64'],
  ['differ in what an empty one beside says too', '?arch=&arch=amd64', ['?arch=arm64'], ''],
  ['differ in how the epoch is written', '?epoch=1&arch=amd64', ['?epoch=01&arch=amd64'], '?epoch=1&arch=amd64'],
  [
    'name one registry, and after it others',
    '?repository_url=&repository_url=a&repository_url=b',
    ['?repository_url=&repository_url=a&repository_url=c'],
    '?repository_url=a',
  ],
])('builds that %s', (_title, own, others, left) => {
  const component = of(`${CURL}${own}`);
  const all = [component, ...others.map((one) => of(`${CURL}${one}`))];
  expect(ofAllBuilds(component, all)).toEqual(of(`${CURL}${left}`));
});

test('what has no other build beside it stays as it is, and what is no package URL, too', () => {
  const one = of(`${CURL}?arch=amd64`);
  for (const builds of [[], [one], [one, of(), of('curl'), of('pkg:'), of(` ${CURL}?arch=amd64 `)]]) {
    expect(ofAllBuilds(one, builds)).toBe(one);
  }
  for (const none of [of(), of('curl'), of('curl?arch=amd64')]) {
    expect(ofAllBuilds(none, [none, one, of(`${CURL}?arch=arm64`)])).toBe(none);
  }
});

test('blanks around a package URL are none of it', () => {
  const [one, other] = [of(` ${CURL}?arch=amd64 `), of(` ${CURL}?arch=arm64 `)];
  expect(ofAllBuilds(one, [one, other]).purl).toBe(CURL);
  expect(ofAllBuilds(of(`${CURL}?arch=amd64`), [of(`${CURL}?arch=amd64`), other]).purl).toBe(CURL);
});

test('what says nothing of a build stays as it is', () => {
  for (const component of [of(), of(CURL)]) {
    expect(ofAllBuilds(component, [component, of(`${CURL}?arch=a`), of(`${CURL}?arch=b`)])).toBe(component);
  }
});

test('an epoch says of what has none in its kind another build', () => {
  const [one, other] = ['1', '2'].map((epoch) => ({ name: 'a', purl: `pkg:npm/a@1?epoch=${epoch}` }));
  expect(ofAllBuilds(one!, [one!, other!]).purl).toBe('pkg:npm/a@1');
});
