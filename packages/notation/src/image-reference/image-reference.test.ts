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
