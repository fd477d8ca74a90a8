import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatImageReference, formatRepository, imageToFetch, isLoopbackRegistry } from './image-reference.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

describe('an image reference', () => {
  it.each([
    ['ubuntu', { registry: 'index.docker.io', repository: 'library/ubuntu', tag: 'latest' }],
    ['acme/app:v1', { registry: 'index.docker.io', repository: 'acme/app', tag: 'v1' }],
    ['docker.io/ubuntu', { registry: 'index.docker.io', repository: 'library/ubuntu', tag: 'latest' }],
    ['index.docker.io:443/ubuntu', { registry: 'index.docker.io', repository: 'library/ubuntu', tag: 'latest' }],
    ['registry.hub.docker.com/a/b', { registry: 'index.docker.io', repository: 'a/b', tag: 'latest' }],
    ['ghcr.io:443/acme/app', { registry: 'ghcr.io:443', repository: 'acme/app', tag: 'latest' }],
    ['127.0.0.1:7080/app', { registry: '127.0.0.1:7080', repository: 'app', tag: 'latest' }],
    ['GHCR.io/app', { registry: 'GHCR.io', repository: 'app', tag: 'latest' }],
    ['localhost/app', { registry: 'localhost', repository: 'app', tag: 'latest' }],
    ['localhost:7080/demo/app:v1', { registry: 'localhost:7080', repository: 'demo/app', tag: 'v1' }],
    ['[::1]:7080/app', { registry: '[::1]:7080', repository: 'app', tag: 'latest' }],
    [`ghcr.io/acme/app@${DIGEST}`, { registry: 'ghcr.io', repository: 'acme/app', digest: DIGEST }],
    [`ghcr.io/acme/app:v1@${DIGEST}`, { registry: 'ghcr.io', repository: 'acme/app', tag: 'v1', digest: DIGEST }],
  ])('%s is read as docker reads it', (text, expected) => {
    expect(imageToFetch(text)).toEqual(expected);
  });

  it.each([
    '',
    'localhost:7080/',
    'UPPER/case',
    'a/../b',
    'ghcr.io/a//b',
    'ghcr.io/a b',
    'ghcr.io/a:',
    'ghcr.io/a@sha256:short',
    `ghcr.io/a@${DIGEST.toUpperCase()}`,
    `ghcr.io/a@${DIGEST}@${DIGEST}`,
    'user:password@ghcr.io/a',
    'https://ghcr.io/a',
    'ghcr.io:99999999/a',
    'ghcr.io:0443/a',
    'ghcr.io:65536/a',
    '127.1:7080/a',
    '0x7f.0.0.1/a',
    'evil.example/%2e%2e/a',
    'a\n.b/c',
    'x'.repeat(600),
  ])('%j is refused', (text) => {
    expect(() => imageToFetch(text)).toThrow(expect.objectContaining({ code: 'registry.reference_invalid' }));
  });

  it('is the same again when it is written and read', () => {
    const part = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    fc.assert(
      fc.property(part, part, fc.option(part), fc.boolean(), (host, name, tag, hasDigest) => {
        const text = `${host}.example/${name}${tag === null ? '' : `:${tag}`}${hasDigest ? `@${DIGEST}` : ''}`;
        const written = formatImageReference(imageToFetch(text));
        expect(formatImageReference(imageToFetch(written))).toBe(written);
        expect(written.startsWith(formatRepository(imageToFetch(text)))).toBe(true);
      }),
    );
  });

  it('speaks plain HTTP with this machine only', () => {
    for (const host of ['localhost', 'localhost:1', '127.0.0.1:7080', '127.9.9.9', '[::1]:1', 'x.localhost:5000']) {
      expect([host, isLoopbackRegistry(host)]).toEqual([host, true]);
    }
    for (const host of ['localhost.evil.example', '127.0.0.1.evil.example', '1127.0.0.1', '10.0.0.1', 'evil.example']) {
      expect([host, isLoopbackRegistry(host)]).toEqual([host, false]);
    }
  });
});
