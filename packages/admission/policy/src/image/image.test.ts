import { parseImageReference } from '@colophon/notation';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileImageGlob } from './image-glob.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

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
    ['ghcr.io/acme/*-sandbox', 'ghcr.io/acme/app-sandbox:v1', true],
    ['ghcr.io/acme/*-sandbox', 'ghcr.io/acme/app:v1-sandbox', false],
    ['ghcr.io/acme/*-sandbox', `ghcr.io/acme/app:v1-sandbox@${DIGEST}`, false],
    ['ghcr.io/**-sandbox', 'ghcr.io/acme/app:v1-sandbox', false],
    ['**-sandbox', 'ghcr.io/acme/app:v1-sandbox', false],
    ['ghcr.io/acme/*a', `ghcr.io/acme/bb@${DIGEST}`, false],
    ['ghcr.io/acme/app:v*@sha256:b*', `ghcr.io/acme/app:v1@${DIGEST}`, false],
    ['ghcr.io/acme/app:v*', `ghcr.io/acme/app:w1@${DIGEST}`, false],
    ['**:v1', 'ghcr.io/acme/app:v1', true],
    ['**:v1', 'ghcr.io/acme/app:v2', false],
    ['**:5000/app', 'localhost:5000/app:v2', true],
    ['**:5000/app', 'localhost:5001/app:v2', false],
    [`ghcr.io/acme/app@${DIGEST}@${DIGEST}`, `ghcr.io/acme/app@${DIGEST}`, false],
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

  it('covers what it was made from, with a star for any part behind the registry', () => {
    const registry = fc.constantFrom('ghcr.io', 'GHCR.IO:443', 'localhost:5000', '127.0.0.1', '[::1]:5000');
    const repository = fc.stringMatching(/^[a-z0-9]{1,6}(\/[a-z0-9]{1,6}){1,2}$/);
    const tag = fc.constantFrom('', 'v1');
    const digest = fc.constantFrom('', DIGEST);
    fc.assert(
      fc.property(registry, repository, tag, digest, fc.nat(2), fc.nat(), fc.nat(), (host, ...rest) => {
        const [path, version, hash, which, from, length] = rest;
        const parts = [path, version && `:${version}`, hash && `@${hash}`];
        const image = `${host}/${parts.join('')}`;
        const part = parts[which] as string;
        // The sign before a tag or a digest is no part of it.
        const start = (which === 0 ? 0 : 1) + (part === '' ? 0 : from % part.length);
        parts[which] = part === '' ? '' : `${part.slice(0, start)}**${part.slice(start + 1 + (length % part.length))}`;
        const glob = `${host}/${parts.join('')}`;
        fc.pre(!glob.endsWith('/') && !parts[0]!.endsWith('/'));
        expect(covers(glob, image)).toBe(true);
      }),
    );
  });

  it('has no star of a repository that reaches into a tag or a digest, which whoever writes the Pod makes up', () => {
    const tag = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,8}$/);
    const star = fc.constantFrom('*', '**');
    const ending = fc.stringMatching(/^[a-z0-9-]{0,4}[a-z0-9]$/);
    fc.assert(
      fc.property(tag, star, ending, fc.boolean(), (version, stars, end, hasDigest) => {
        const image = `ghcr.io/acme/tools:${version}${end}${hasDigest ? `@${DIGEST}` : ''}`;
        expect(covers(`ghcr.io/acme/${stars}${end}`, image)).toBe('tools'.endsWith(end));
      }),
    );
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
