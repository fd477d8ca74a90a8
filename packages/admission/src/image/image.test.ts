import { isSha256 } from '@colophon/notation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileImageGlob } from './image-glob.ts';
import { parseImageReference } from './image-reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('an image reference', () => {
  it.each([
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
  ])('%s is written out in full', (text, expected) => {
    expect(parseImageReference(text)).toEqual(expected);
  });

  it.each([
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

  it('of the greatest length is read, and one longer is not', () => {
    const longest = `ghcr.io/${'a'.repeat(504)}`;
    expect(parseImageReference(longest)).toBeDefined();
    expect(parseImageReference(`${longest}a`)).toBeUndefined();
  });

  it('has a digest of 64 lower-case hexadecimal digits', () => {
    expect(isSha256(DIGEST)).toBe(true);
    expect(isSha256(DIGEST.toUpperCase())).toBe(false);
    expect(isSha256(DIGEST.slice(0, -1))).toBe(false);
  });
});

function covers(glob: string, reference: string): boolean {
  const compiled = compileImageGlob(glob);
  const image = parseImageReference(reference);
  if (compiled === undefined || image === undefined) throw new Error('the test itself is wrong');
  expect(compiled.text).toBe(glob);
  return compiled.covers(image);
}

describe('an image glob', () => {
  it.each([
    ['ghcr.io/acme/app', 'ghcr.io/acme/app', true],
    ['ghcr.io/acme/app', 'ghcr.io/acme/app:v1', true],
    ['ghcr.io/acme/app', `ghcr.io/acme/app:v1@${DIGEST}`, true],
    ['ghcr.io/acme/app', 'ghcr.io/acme/app2', false],
    ['ghcr.io/acme/app', 'xghcr.io/acme/app', false],
    ['GHCR.IO/acme/app', 'ghcr.io/acme/app', true],
    ['ghcr.io/acme/app:v1', 'ghcr.io/acme/app:v1', true],
    ['ghcr.io/acme/app:v1', `ghcr.io/acme/app:v1@${DIGEST}`, true],
    ['ghcr.io/acme/app:v1', 'ghcr.io/acme/app:v2', false],
    [`ghcr.io/acme/app@${DIGEST}`, `ghcr.io/acme/app@${DIGEST}`, true],
    ['ghcr.io/acme/app@sha256:*', `ghcr.io/acme/app:v1@${DIGEST}`, true],
    ['ghcr.io/acme/app@sha256:b*', `ghcr.io/acme/app@${DIGEST}`, false],
    ['ghcr.io/acme/app:v1@*', `ghcr.io/acme/app:v1@${DIGEST}`, true],
    ['ghcr.io/acme/app:*', 'ghcr.io/acme/app', false],
    ['ghcr.io/acme/app:*', `ghcr.io/acme/app@${DIGEST}`, false],
    ['ghcr.io/acme/app@*', 'ghcr.io/acme/app', false],
    ['ghcr.io/acme/app:*@*', 'ghcr.io/acme/app:v1', false],
    ['ghcr.io/acme/app:*@*', `ghcr.io/acme/app@${DIGEST}`, false],
    ['docker.io/ngi**', 'nginx', true],
    ['ghcr.io/acme/*', 'ghcr.io/acme/app', true],
    ['ghcr.io/acme/*', 'ghcr.io/acme/team/app', false],
    ['ghcr.io/acme/**', 'ghcr.io/acme/team/app:v1', true],
    ['ghcr.io/acme/**', 'ghcr.io/acmes/app', false],
    ['ghcr.io/**/app', 'ghcr.io/app', true],
    ['ghcr.io/**/app', 'ghcr.io/a/b/app', true],
    ['ghcr.io/**/app', 'ghcr.io/a/b/happ', false],
    ['ghcr.io/a.p', 'ghcr.io/app', false],
    ['*.acme.example/app', 'eu.acme.example/app', true],
    ['*/app', 'eu.acme.example/app', true],
    ['**', 'nginx', true],
    ['**/app', 'ghcr.io/acme/app', true],
    ['nginx', 'nginx:1.27', true],
    ['nginx*', 'nginx-unprivileged', true],
    ['*', 'nginx', true],
    ['*', 'acme/app', false],
    ['*', 'ghcr.io/app', false],
    ['acme/*', 'docker.io/acme/app', true],
    ['docker.io/nginx', 'nginx', true],
    ['docker.io/**', 'nginx', true],
    ['docker.io/**', 'acme/app', true],
    ['docker.io/acme/*', 'acme/app', true],
    ['localhost/app', 'localhost/app', true],
    ['localhost:5000/*', 'localhost:5000/app', true],
    ['localhost:5000/*', 'localhost:5001/app', false],
    ['localhost:5000/*', '127.0.0.1:5000/app', true],
    ['localhost:5000/*', '[::1]:5000/app', true],
    ['localhost:5000/*', 'x.localhost:5000/app', true],
    ['127.0.0.1:5000/*', 'localhost:5000/app', true],
    ['[::1]:5000/*', 'localhost:5000/app', true],
    ['127.0.0.*:5000/*', 'localhost:5000/app', true],
    ['127.0.0.*:5000/*', 'localhost:5001/app', false],
    ['localhost:80/*', 'localhost/app', true],
    ['ghcr.io/acme/*', 'ghcr.io:443/acme/app', true],
    ['ghcr.io:443/acme/*', 'ghcr.io/acme/app', true],
    ['GHCR.*/acme/*', 'ghcr.io:443/acme/app', true],
    ['*:443/acme/*', 'ghcr.io/acme/app', true],
    ['ghcr.io/acme/*', 'ghcr.io:80/acme/app', false],
    ['docker.io/acme/*', 'index.docker.io:443/acme/app', true],
    ['docker.io/acme/*', 'registry.hub.docker.com/acme/app', true],
    ['registry.hub.docker.com/acme/*', 'acme/app', true],
    ['registry.hub.docker.com/nginx', 'nginx', true],
    ['*.docker.com/acme/*', 'acme/app', true],
  ])('%s on %s: %s', (glob, reference, expected) => {
    expect(covers(glob, reference)).toBe(expected);
  });

  it.each([
    '',
    'ghcr.io:0443/acme/*',
    'ghcr.io:65536/acme/*',
    '127.1/*',
    'ghcr.io/acme/***',
    'ghcr.io/{a,b}',
    'ghcr.io/a?',
    '/nginx',
    'ghcr.io/',
    'a b',
    `${'a'.repeat(513)}`,
  ])('%j is none', (glob) => {
    expect(compileImageGlob(glob)).toBeUndefined();
  });

  it('without a star covers one repository only', () => {
    const name = fc.stringMatching(/^[a-z0-9]{1,6}(\/[a-z0-9]{1,6}){0,2}$/);
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(covers(`ghcr.io/${a}`, `ghcr.io/${b}`)).toBe(a === b);
      }),
    );
  });
});
