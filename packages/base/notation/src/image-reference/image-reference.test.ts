import { expect, test } from 'vitest';
import { faultOfImageReference, isImageTag, isRepositoryName, parseImageReference } from './image-reference.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

test.each([
  ['nginx', 'index.docker.io', 'index.docker.io', 'library/nginx', undefined, undefined],
  ['docker.io:443/acme/app:1', 'index.docker.io', 'index.docker.io', 'acme/app', '1', undefined],
  ['GHCR.io:443/acme/app', 'ghcr.io', 'GHCR.io:443', 'acme/app', undefined, undefined],
  [`127.0.0.1:5000/app:v1@${DIGEST}`, 'localhost:5000', '127.0.0.1:5000', 'app', 'v1', DIGEST],
  [`[2001:db8::1]:5000/a@${DIGEST}`, '[2001:db8:0:0:0:0:0:1]:5000', '[2001:db8::1]:5000', 'a', undefined, DIGEST],
  ['ghcr.io/a_b__c.d-e--f/g', 'ghcr.io', 'ghcr.io', 'a_b__c.d-e--f/g', undefined, undefined],
])('%s is written out in full', (text, registry, host, repository, tag, digest) => {
  expect(parseImageReference(text)).toEqual({
    registry,
    host,
    repository,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  });
  expect(faultOfImageReference(text)).toBeUndefined();
});

test.each([
  ['', 'a repository is'],
  ['ghcr.io/', 'a repository is'],
  ['ghcr.io/a..b/c', 'a repository is'],
  ['ghcr.io/a._b', 'a repository is'],
  ['ghcr.io/a___b', 'a repository is'],
  ['ghcr.io/../a', 'a repository is'],
  ['Nginx', 'a repository is'],
  [`ghcr.io/${'a'.repeat(256)}`, 'a repository is'],
  ['ghcr.io:0443/a', 'the registry is no host name'],
  ['127.1:5000/a', 'the registry is no host name'],
  ['ghcr.io/a:', 'a tag has'],
  ['ghcr.io/a:1:-2', 'a tag has'],
  [`ghcr.io/a@${DIGEST}@${DIGEST}`, 'a digest is'],
  [`ghcr.io/a@${DIGEST.toUpperCase()}`, 'a digest is'],
  ['ghcr.io/a@', 'a digest is'],
  ['a'.repeat(513), 'the reference is too long'],
])('%j is none, and it is said why', (text, fault) => {
  expect(parseImageReference(text)).toBeUndefined();
  expect(faultOfImageReference(text)).toContain(fault);
});

test('the greatest repository, tag and reference are read, and one character more is not', () => {
  expect([isRepositoryName('a'.repeat(255)), isRepositoryName('a'.repeat(256))]).toEqual([true, false]);
  expect([isImageTag('a'.repeat(128)), isImageTag('a'.repeat(129)), isImageTag('.a')]).toEqual([true, false, false]);
  const long = `a.example:65535/${'a'.repeat(255)}:${'t'.repeat(128)}@${DIGEST}`;
  expect([long.length < 512, parseImageReference(long)?.repository.length]).toEqual([true, 255]);
});

test.each([
  ['nginx', { registry: 'index.docker.io', repository: 'library/nginx' }],
  ['nginx:1.27', { registry: 'index.docker.io', repository: 'library/nginx', tag: '1.27' }],
  ['acme/app', { registry: 'index.docker.io', repository: 'acme/app' }],
  ['docker.io/nginx', { registry: 'index.docker.io', repository: 'library/nginx' }],
  ['registry-1.docker.io/acme/app', { registry: 'index.docker.io', repository: 'acme/app' }],
  ['index.docker.io/library/nginx', { registry: 'index.docker.io', repository: 'library/nginx' }],
  ['localhost/app', { registry: 'localhost', repository: 'app' }],
  ['localhost:5000/app:v1', { registry: 'localhost:5000', repository: 'app', tag: 'v1' }],
  ['GHCR.io/acme/app', { registry: 'ghcr.io', repository: 'acme/app' }],
  ['[::1]:5000/app', { registry: 'localhost:5000', repository: 'app' }],
  ['[2001:db8::1]:5000/app', { registry: '[2001:db8:0:0:0:0:0:1]:5000', repository: 'app' }],
  ['127.0.0.1:5000/app', { registry: 'localhost:5000', repository: 'app' }],
  ['ghcr.io:443/acme/app', { registry: 'ghcr.io', repository: 'acme/app' }],
  ['index.docker.io:443/nginx', { registry: 'index.docker.io', repository: 'library/nginx' }],
  ['registry.hub.docker.com/acme/app', { registry: 'index.docker.io', repository: 'acme/app' }],
  [`ghcr.io/acme/a_b__c.d-e@${DIGEST}`, { registry: 'ghcr.io', repository: 'acme/a_b__c.d-e', digest: DIGEST }],
  [`ghcr.io/acme/app:v1@${DIGEST}`, { registry: 'ghcr.io', repository: 'acme/app', tag: 'v1', digest: DIGEST }],
])('%s is compared by its one name', (text, expected) => {
  const { host: _, ...name } = parseImageReference(text)!;
  expect(name).toEqual(expected);
});

test.each([
  '',
  ' nginx',
  'nginx ',
  'Nginx',
  '/nginx',
  'ghcr.io/',
  'ghcr.io//app',
  'ghcr.io/../app',
  'ghcr.io/acme/app:',
  'ghcr.io/acme/app:v1:v2',
  'ghcr.io/acme/app:-v1',
  `ghcr.io/acme/app:${'v'.repeat(129)}`,
  'ghcr.io/acme/app@sha256:abc',
  `ghcr.io/acme/app@sha512:${'a'.repeat(64)}`,
  `ghcr.io/acme/app@${DIGEST}@${DIGEST}`,
  `ghcr.io/acme/app@${DIGEST}0`,
  `ghcr.io/acme/app@x${DIGEST}`,
  'ghcr.io:123456/app',
  'ghcr.io:0443/app',
  'ghcr.io:65536/app',
  '127.1:5000/app',
  '-ghcr.io/app',
  'evil.example/https://ghcr.io/app',
  'ghcr.io/acme/app\n',
  `ghcr.io/${'a/'.repeat(300)}a`,
])('%j is none', (text) => {
  expect(parseImageReference(text)).toBeUndefined();
});
